package org.chainwalletd.chain;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Script of a hash time-locked contract (chain protocol, section 6.3): a template of 385 bytes with four parameter fields. The receiver may spend
 * the output at any time with the preimage of the hash lock, the sender in every block above the timeout height.
 */
public final class HtlcScript {
    public static final int LENGTH = 385;

    private static final int SENDER = 95;
    private static final int TIMEOUT = 171;
    private static final int RECEIVER = 262;
    private static final int HASH_LOCK = 338;

    private static final String UP_TO_SENDER =
            "29000000000000000102000000010000000816000000030000000c010f000000040000000805000000060000000e0200"
                    + "000008000108000000070000000b02000000030c00000009000000030b0000000a0000000c0e250000000520000000";
    private static final String UP_TO_TIMEOUT =
            "010d0000000e000000020b080400000111000000100000000b070100000313000000120000000e0900000006";
    private static final String UP_TO_RECEIVER =
            "011400000015000000020b070400000122000000170000000818000000190000000e020000000800011b0000001a0000"
                    + "000b02000000031f0000001c000000031e0000001d0000000c0e250000000520000000";
    private static final String UP_TO_HASH_LOCK =
            "012000000021000000020b080400000124000000230000000b040300000326000000250000000e2100000009";
    private static final String UP_TO_END = "0128000000270000000b010000000c";

    /** The script with zeros in the parameter fields. */
    private static final byte[] TEMPLATE = HexFormat.of()
            .parseHex(UP_TO_SENDER
                    + "00".repeat(PublicKey.LENGTH)
                    + UP_TO_TIMEOUT
                    + "00".repeat(Long.BYTES)
                    + UP_TO_RECEIVER
                    + "00".repeat(PublicKey.LENGTH)
                    + UP_TO_HASH_LOCK
                    + "00".repeat(Hash256.LENGTH)
                    + UP_TO_END);

    private HtlcScript() {}

    /** Returns the 385 bytes of the script for these parameters. */
    public static Bytes build(HtlcParams params) {
        byte[] script = TEMPLATE.clone();
        System.arraycopy(params.sender().unsafe(), 0, script, SENDER, PublicKey.LENGTH);
        LittleEndian.putLong(script, TIMEOUT, params.timeoutHeight());
        System.arraycopy(params.receiver().unsafe(), 0, script, RECEIVER, PublicKey.LENGTH);
        System.arraycopy(params.hashLock().unsafe(), 0, script, HASH_LOCK, Hash256.LENGTH);
        return Bytes.wrap(script);
    }

    /** Returns the parameters of {@code script} if it is an HTLC: right length, and equal to the template outside the parameter fields. */
    public static Optional<HtlcParams> recognise(Bytes script) {
        return isHtlc(script) ? Optional.of(read(script.unsafe())) : Optional.empty();
    }

    /** Tests whether {@link #recognise} would return parameters; allocates nothing. */
    public static boolean isHtlc(Bytes script) {
        byte[] bytes = script.unsafe();
        return bytes.length == LENGTH
                && sameAsTemplate(bytes, 0, SENDER)
                && sameAsTemplate(bytes, SENDER + PublicKey.LENGTH, TIMEOUT)
                && sameAsTemplate(bytes, TIMEOUT + Long.BYTES, RECEIVER)
                && sameAsTemplate(bytes, RECEIVER + PublicKey.LENGTH, HASH_LOCK)
                && sameAsTemplate(bytes, HASH_LOCK + Hash256.LENGTH, LENGTH);
    }

    /** Returns the structural hash by which some indexers group all HTLCs, regardless of parameters (appendix F). */
    public static Hash256 contractHash(ChainProfile profile, ScriptProgram.HashVariant variant) {
        return ScriptProgram.decode(TEMPLATE)
                .structuralHash(profile, variant)
                .orElseThrow(() -> new IllegalStateException("the template has hashable nodes only"));
    }

    private static boolean sameAsTemplate(byte[] script, int from, int to) {
        return Arrays.equals(script, from, to, TEMPLATE, from, to);
    }

    private static HtlcParams read(byte[] script) {
        return new HtlcParams(
                PublicKey.of(Arrays.copyOfRange(script, SENDER, SENDER + PublicKey.LENGTH)),
                PublicKey.of(Arrays.copyOfRange(script, RECEIVER, RECEIVER + PublicKey.LENGTH)),
                Hash256.wrap(Arrays.copyOfRange(script, HASH_LOCK, HASH_LOCK + Hash256.LENGTH)),
                LittleEndian.getLong(script, TIMEOUT));
    }
}
