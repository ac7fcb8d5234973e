package org.chainwalletd.crypto;

/**
 * Signed text messages (chain protocol, appendix A): Ed25519 over the raw tag bytes followed by the text in UTF-8, without a length byte, a
 * terminator or Unicode normalisation. The tag separates them from transaction signatures.
 */
public final class SignedMessage {
    private SignedMessage() {}

    /** Returns the signed bytes: {@code tag ‖ message}. The message may be empty. */
    public static byte[] image(byte[] tag, byte[] message) {
        byte[] image = new byte[tag.length + message.length];
        System.arraycopy(tag, 0, image, 0, tag.length);
        System.arraycopy(message, 0, image, tag.length, message.length);
        return image;
    }

    /**
     * Tests whether {@code signature} signs {@code message} under {@code tag}; false for a key or signature of another length. A caller that was
     * given an address must also check that it belongs to the key.
     */
    public static boolean verify(byte[] publicKey, byte[] tag, byte[] message, byte[] signature) {
        return Ed25519.verify(publicKey, image(tag, message), signature);
    }
}
