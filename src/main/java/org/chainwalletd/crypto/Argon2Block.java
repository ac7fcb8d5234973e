package org.chainwalletd.crypto;

/**
 * What Argon2 does with blocks of 1 KiB (RFC 9106, sections 3.5 and 3.6). Nearly all of a key derivation's time is spent here, so nothing
 * here branches: the launcher has these methods compiled at their first calls. Loops over whole blocks index every array alike, which the
 * compiler turns into vector instructions.
 */
final class Argon2Block {
    /** Longs of a block. */
    static final int LONGS = 128;

    private static final long LOW = 0xffff_ffffL;

    private Argon2Block() {}

    /**
     * The compression function G of section 3.5: {@code to} becomes what G makes of {@code one} and {@code other}.
     *
     * @param summed scratch
     * @param mixed scratch
     */
    static void compress(long[] to, long[] one, long[] other, long[] summed, long[] mixed) {
        sum(summed, one, other);
        System.arraycopy(summed, 0, mixed, 0, LONGS);
        permute(mixed);
        sum(to, mixed, summed);
    }

    /** The same, added to what is there: every pass but the first. */
    static void compressOnto(long[] to, long[] one, long[] other, long[] summed, long[] mixed) {
        sum(summed, one, other);
        System.arraycopy(summed, 0, mixed, 0, LONGS);
        permute(mixed);
        add(to, mixed);
        add(to, summed);
    }

    private static void sum(long[] to, long[] one, long[] other) {
        for (int i = 0; i < LONGS; i++) {
            to[i] = one[i] ^ other[i];
        }
    }

    static void add(long[] to, long[] other) {
        for (int i = 0; i < LONGS; i++) {
            to[i] ^= other[i];
        }
    }

    /** The permutation P of section 3.6 over the 8 rows, then over the 8 columns, of pairs of longs. */
    private static void permute(long[] v) {
        for (int row = 0; row < LONGS; row += 16) {
            permute(v, row, 2);
        }
        for (int column = 0; column < 16; column += 2) {
            permute(v, column, 16);
        }
    }

    /** P over the eight pairs at {@code p}, {@code p + s}, … {@code p + 7 s}. */
    private static void permute(long[] v, int p, int s) {
        int q = p + 1;
        mix(v, p, p + 2 * s, p + 4 * s, p + 6 * s);
        mix(v, q, q + 2 * s, q + 4 * s, q + 6 * s);
        mix(v, p + s, p + 3 * s, p + 5 * s, p + 7 * s);
        mix(v, q + s, q + 3 * s, q + 5 * s, q + 7 * s);
        mix(v, p, q + 2 * s, p + 5 * s, q + 7 * s);
        mix(v, q, p + 3 * s, q + 5 * s, p + 6 * s);
        mix(v, p + s, q + 3 * s, p + 4 * s, q + 6 * s);
        mix(v, q + s, p + 2 * s, q + 4 * s, p + 7 * s);
    }

    /** The function GB of section 3.6. */
    private static void mix(long[] v, int ia, int ib, int ic, int id) {
        long a = v[ia];
        long b = v[ib];
        long c = v[ic];
        long d = v[id];
        a += b + 2 * (a & LOW) * (b & LOW);
        d = Long.rotateRight(d ^ a, 32);
        c += d + 2 * (c & LOW) * (d & LOW);
        b = Long.rotateRight(b ^ c, 24);
        a += b + 2 * (a & LOW) * (b & LOW);
        d = Long.rotateRight(d ^ a, 16);
        c += d + 2 * (c & LOW) * (d & LOW);
        b = Long.rotateRight(b ^ c, 63);
        v[ia] = a;
        v[ib] = b;
        v[ic] = c;
        v[id] = d;
    }
}
