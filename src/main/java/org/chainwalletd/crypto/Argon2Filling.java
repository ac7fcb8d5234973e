package org.chainwalletd.crypto;

import java.nio.LongBuffer;
import java.util.Arrays;

/**
 * One Argon2id computation, version 0x13, between its first blocks and its last (RFC 9106, sections 3.2 to 3.6): columns of 1 KiB blocks in
 * lanes, filled pass by pass. Used once, by one thread.
 *
 * <p>A computation of its own because a daemon's start waits for one, in a JVM that has compiled nothing yet. All the work is done by the few
 * small methods of {@link Argon2Block}, for which the launcher asks for compiled code at once; the choice of blocks, whose branches change
 * from pass to pass, stays out of them.
 */
final class Argon2Filling {
    private static final int TYPE_ID = 2;
    private static final int SLICES = 4;
    private static final long LOW = 0xffff_ffffL;

    private final int passes;
    private final int lanes;
    private final int laneLength;
    private final int sliceLength;
    private final int blocks;
    private final Argon2Memory memory;

    private final long[] mixed = new long[Argon2Block.LONGS];
    private final long[] summed = new long[Argon2Block.LONGS];
    private final long[] addressInput = new long[Argon2Block.LONGS];
    private final long[] addresses = new long[Argon2Block.LONGS];

    /** @param memory of at least as many blocks as {@code cost} has KiB; whoever lends it overwrites it */
    Argon2Filling(Argon2 cost, Argon2Memory memory) {
        passes = cost.iterations();
        lanes = cost.parallelism();
        sliceLength = cost.memoryKib() / (SLICES * lanes);
        laneLength = SLICES * sliceLength;
        blocks = lanes * laneLength;
        this.memory = memory;
    }

    /** Sets block {@code column} (0 or 1) of {@code lane}; to be done for all lanes before {@link #fill}. */
    void start(int lane, int column, LongBuffer block) {
        block.get(memory.block(lane * laneLength + column));
    }

    /** All passes. */
    void fill() {
        for (int pass = 0; pass < passes; pass++) {
            for (int slice = 0; slice < SLICES; slice++) {
                for (int lane = 0; lane < lanes; lane++) {
                    fillSegment(pass, slice, lane);
                }
            }
        }
    }

    /** The last column of all lanes, summed: what the tag is made of. */
    long[] result() {
        long[] sum = new long[Argon2Block.LONGS];
        for (int lane = 1; lane <= lanes; lane++) {
            Argon2Block.add(sum, memory.block(lane * laneLength - 1));
        }
        return sum;
    }

    /** Overwrites what is not in the memory. */
    void wipe() {
        for (long[] scratch : new long[][] {mixed, summed, addressInput, addresses}) {
            Arrays.fill(scratch, 0);
        }
    }

    private void fillSegment(int pass, int slice, int lane) {
        boolean independent = pass == 0 && slice < SLICES / 2;
        if (independent) {
            beginAddresses(pass, slice, lane);
        }
        int first = pass == 0 && slice == 0 ? 2 : 0;
        if (independent && first > 0) {
            nextAddresses();
        }
        for (int index = first; index < sliceLength; index++) {
            int column = slice * sliceLength + index;
            long[] previous = memory.block(lane * laneLength + (column == 0 ? laneLength : column) - 1);
            if (independent && index % Argon2Block.LONGS == 0) {
                nextAddresses();
            }
            long random = independent ? addresses[index % Argon2Block.LONGS] : previous[0];
            long[] reference = memory.block(reference(pass, slice, lane, index, random));
            long[] block = memory.block(lane * laneLength + column);
            if (pass == 0) {
                Argon2Block.compress(block, previous, reference, summed, mixed);
            } else {
                Argon2Block.compressOnto(block, previous, reference, summed, mixed);
            }
        }
    }

    /** Which block is mixed in: the mapping of section 3.4.2. Blocks that other lanes fill at the same time are left out. */
    private int reference(int pass, int slice, int lane, int index, long random) {
        int from = pass == 0 && slice == 0 ? lane : (int) ((random >>> 32) % lanes);
        int finished = pass == 0 ? slice * sliceLength : laneLength - sliceLength;
        int area = from == lane ? finished + index - 1 : finished - (index == 0 ? 1 : 0);
        int start = pass == 0 ? 0 : (slice + 1) * sliceLength;
        long square = (random & LOW) * (random & LOW) >>> 32;
        int back = (int) (area * square >>> 32);
        return from * laneLength + (start + area - 1 - back) % laneLength;
    }

    private void beginAddresses(int pass, int slice, int lane) {
        Arrays.fill(addressInput, 0);
        addressInput[0] = pass;
        addressInput[1] = lane;
        addressInput[2] = slice;
        addressInput[3] = blocks;
        addressInput[4] = passes;
        addressInput[5] = TYPE_ID;
    }

    /** Pseudo-random numbers that do not depend on the passphrase, for the next 128 blocks (section 3.4.1.2). */
    private void nextAddresses() {
        addressInput[6]++;
        long[] zero = new long[Argon2Block.LONGS];
        Argon2Block.compress(addresses, zero, addressInput, summed, mixed);
        Argon2Block.compress(addresses, zero, addresses, summed, mixed);
    }
}
