/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exchange.pml - rt/exchange.c for the model checker spin: every interleaving of one writer and one reader.
 *
 * A record is two words copied one after the other, so that a torn one shows. Built as tests/exchange.sh does it:
 *     -DRING or -DLATEST      which of the two
 *     -DBROKEN=1..4           a mistake that spin must find (listed at its place)
 * Loads and stores are atomic and in program order here: the release and acquire marks of the C code make the
 * compiler and processor keep the order of what stands on either side of them; the thread sanitizer judges the marks.
 */
#ifndef BROKEN
#define BROKEN 0
#endif
#define OFFERS 6

#ifdef RING
#define COUNT 2

byte low[COUNT], high[COUNT]; /* the two words of each place */
byte pushed, popped, dropped, most, got, last;
bool ended;

active proctype writer()
{
    byte i = 1, waiting;

    do
    :: i > OFFERS -> break
    :: else ->
        waiting = pushed - popped; /* popped by its own load: the reader may move on at once */
        if
#if BROKEN == 1 /* one place too many: overwrites what the reader may be reading */
        :: waiting > COUNT ->
#else
        :: waiting >= COUNT ->
#endif
#if BROKEN != 2 /* a lost record is not counted */
            dropped++
#else
            skip
#endif
        :: else ->
#if BROKEN == 3 /* said before it is complete */
            pushed++;
            low[(pushed - 1) % COUNT] = i;
            high[(pushed - 1) % COUNT] = i
#else
            low[pushed % COUNT] = i;
            high[pushed % COUNT] = i;
            if
            :: waiting + 1 > most -> most = waiting + 1
            :: else
            fi;
            pushed++
#endif
        fi;
        assert(pushed >= popped && pushed - popped <= COUNT); /* R1 */
        i++
    od;
    ended = true
}

active proctype reader()
{
    byte a, b;
    bool stop;

    do
    :: true ->
        stop = ended; /* before the look at the ring: nothing comes after it */
        if
        :: popped != pushed ->
#if BROKEN == 4 /* the place is given back before it is read */
            popped++;
            a = low[(popped - 1) % COUNT];
            b = high[(popped - 1) % COUNT];
#else
            a = low[popped % COUNT];
            b = high[popped % COUNT];
            popped++;
#endif
            assert(a == b);    /* R3: whole */
            assert(a > last);  /* R5: in order */
            last = a;
            got++
        :: else ->
            if
            :: stop -> break
            :: else
            fi
        fi
    od;
    assert(got + dropped == OFFERS); /* R4 */
    assert(got == pushed && most <= COUNT)
}
#endif

#ifdef LATEST
#define FRESH 4

byte low[3], high[3];
byte middle = 2, back = 0, front = 1, replaced, got, last;
bool ended;

active proctype writer()
{
    byte i = 1, old;

    do
    :: i > OFFERS -> break
    :: else ->
#if BROKEN == 1 /* two places: the middle is written while the reader may take it */
        low[middle & 3] = i;
        high[middle & 3] = i;
        middle = middle | FRESH;
#elif BROKEN == 2 /* exchange in two steps */
        low[back] = i;
        high[back] = i;
        old = middle;
        middle = back | FRESH;
        back = old & 3;
#elif BROKEN == 3 /* handed over before it is complete */
        low[back] = i;
        d_step { old = middle; middle = back | FRESH };
        high[back] = i;
        back = old & 3;
#else
        low[back] = i;
        high[back] = i;
        d_step { old = middle; middle = back | FRESH };
        back = old & 3;
#endif
#if BROKEN != 4 /* a value nobody read is not counted */
        if
        :: old & FRESH -> replaced++
        :: else
        fi;
#endif
        i++
    od;
    ended = true
}

active proctype reader()
{
    byte a, b, old;
    bool stop;

    do
    :: true ->
        stop = ended;
        if
        :: middle & FRESH ->
            d_step { old = middle; middle = front };
            front = old & 3;
            got++;
            a = low[front];
            b = high[front];
            assert(a == b);   /* L2: whole */
            assert(a > last); /* L3: fresh is newer */
            last = a
        :: else ->
            if
            :: stop -> break
            :: else
            fi
        fi
    od;
    assert(last == OFFERS);            /* the newest arrives */
    assert(got + replaced == OFFERS);  /* L4 */
    assert(back != front && front != (middle & 3) && back != (middle & 3)) /* L1 */
}
#endif
