package org.chainwalletd.crypto;

/**
 * Signed text messages (chain protocol, appendix A): Ed25519 over the raw tag bytes followed by the text in UTF-8, without a length
 * byte, a terminator or Unicode normalisation. The tag keeps them apart from transaction signatures.
 */
public final class SignedMessage {
    private SignedMessage() {}

    /** The signed bytes: {@code tag ‖ message}. The empty message is legal. */
    public static byte[] image(byte[] tag, byte[] message) {
        byte[] image = new byte[tag.length + message.length];
        System.arraycopy(tag, 0, image, 0, tag.length);
        System.arraycopy(message, 0, image, tag.length, message.length);
        return image;
    }

    /**
     * Whether {@code signature} signs {@code message} under {@code tag}; false for a key or signature of another length. A caller who
     * was given an address also checks that the address is the key's.
     */
    public static boolean verify(byte[] publicKey, byte[] tag, byte[] message, byte[] signature) {
        return Ed25519.verify(publicKey, image(tag, message), signature);
    }
}
