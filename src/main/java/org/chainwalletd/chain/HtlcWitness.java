package org.chainwalletd.chain;

import java.util.Arrays;
import java.util.Optional;

/** Codec of the witnesses that spend an HTLC output (chain protocol, section 6.4). */
public final class HtlcWitness {
    /** Maximum length of a preimage in the witness data of a claim. */
    public static final int MAX_PREIMAGE_BYTES = ChainProfile.MAX_VAR_BYTES - 76;
    /** Length of the witness data of a reclaim. */
    public static final int RECLAIM_LENGTH = 71;

    private static final int SIGNATURE_BYTES = 64;
    private static final int TAG_LEFT = 0x01;
    private static final int TAG_RIGHT = 0x02;
    private static final int TAG_BYTES = 0x05;
    private static final int TAG_BOOL = 0x08;

    private HtlcWitness() {}

    /** Returns the length of the witness data of a claim: 108 for a preimage of 32 bytes. */
    public static int claimLength(int preimageLength) {
        return 76 + preimageLength;
    }

    /**
     * Returns the receiver's witness with the usual selector and without a redeemer.
     *
     * @param preimage 0 … 65,459 bytes
     * @throws IllegalArgumentException for a longer preimage or a signature that is not 64 bytes long
     */
    public static Witness claim(byte[] preimage, byte[] signature) {
        if (preimage.length > MAX_PREIMAGE_BYTES) {
            throw new IllegalArgumentException(
                    "preimage too long: " + preimage.length + " bytes (max " + MAX_PREIMAGE_BYTES + ")");
        }
        ByteWriter out =
                new ByteWriter(claimLength(preimage.length)).u8(TAG_LEFT).u8(0);
        writeBytes(out, preimage);
        writeBytes(out, checkedSignature(signature));
        return new Witness(Bytes.wrap(out.finish()), null);
    }

    /**
     * Returns the sender's witness with the usual selector and without a redeemer.
     *
     * @throws IllegalArgumentException for a signature that is not 64 bytes long
     */
    public static Witness reclaim(byte[] signature) {
        ByteWriter out = new ByteWriter(RECLAIM_LENGTH).u8(TAG_RIGHT).u8(0);
        writeBytes(out, checkedSignature(signature));
        return new Witness(Bytes.wrap(out.finish()), null);
    }

    /**
     * Classifies a witness that spends an HTLC output by its form alone; neither preimage nor signature is checked. Accepts both encodings of the
     * selector and ignores a redeemer; empty for every form that no valid spend can have.
     */
    public static Optional<HtlcSpend> classify(Witness witness) {
        byte[] data = witness.data().unsafe();
        if (data.length < RECLAIM_LENGTH) {
            return Optional.empty();
        }
        int selector = (data[0] & 0xff) << 8 | data[1] & 0xff;
        return switch (selector) {
            case TAG_LEFT << 8, TAG_BOOL << 8 -> readClaim(data);
            case TAG_RIGHT << 8, TAG_BOOL << 8 | 1 -> readReclaim(data);
            default -> Optional.empty();
        };
    }

    /**
     * Returns the public key in the witness of a plain input; empty for a witness of a script. A claim with a preimage of 20 bytes is as long as the
     * witness of a plain input, but no public key has the twelve fixed bytes of such a claim, 0 to 6 and 27 to 31, in its place.
     */
    public static Optional<PublicKey> plainKey(Witness witness) {
        return witness.data().length() == Witness.PLAIN_LENGTH
                        && classify(witness).isEmpty()
                ? Optional.of(PublicKey.of(witness.data().slice(0, PublicKey.LENGTH)))
                : Optional.empty();
    }

    /** Returns the hash lock of {@code preimage}: its plain SHA-256. */
    public static Hash256 hashLockOf(byte[] preimage) {
        return Hash256.sha256(preimage);
    }

    private static Optional<HtlcSpend> readClaim(byte[] data) {
        int preimageLength = data.length - claimLength(0);
        if (preimageLength < 0
                || !isBytesHeader(data, 2, preimageLength)
                || !isBytesHeader(data, 7 + preimageLength, SIGNATURE_BYTES)) {
            return Optional.empty();
        }
        return Optional.of(
                new HtlcSpend.Claim(Bytes.wrap(Arrays.copyOfRange(data, 7, 7 + preimageLength)), lastSignature(data)));
    }

    private static Optional<HtlcSpend> readReclaim(byte[] data) {
        if (data.length != RECLAIM_LENGTH || !isBytesHeader(data, 2, SIGNATURE_BYTES)) {
            return Optional.empty();
        }
        return Optional.of(new HtlcSpend.Reclaim(lastSignature(data)));
    }

    private static boolean isBytesHeader(byte[] data, int offset, int length) {
        return data[offset] == TAG_BYTES && LittleEndian.getInt(data, offset + 1) == length;
    }

    private static Bytes lastSignature(byte[] data) {
        return Bytes.wrap(Arrays.copyOfRange(data, data.length - SIGNATURE_BYTES, data.length));
    }

    private static void writeBytes(ByteWriter out, byte[] value) {
        out.u8(TAG_BYTES).u32(value.length).raw(value);
    }

    private static byte[] checkedSignature(byte[] signature) {
        if (signature.length != SIGNATURE_BYTES) {
            throw new IllegalArgumentException("a signature has 64 bytes, not " + signature.length);
        }
        return signature;
    }

    /** The two ways in which an HTLC output can be spent (chain protocol, section 6.4). */
    public sealed interface HtlcSpend {
        /** 64-byte Ed25519 signature over the signing message of the spending transaction. */
        Bytes signature();

        /**
         * Spend by the receiver.
         *
         * @param preimage of any length, including empty
         */
        record Claim(Bytes preimage, Bytes signature) implements HtlcSpend {}

        /** Spend by the sender, after the timeout. */
        record Reclaim(Bytes signature) implements HtlcSpend {}
    }
}
