package org.chainwalletd.quote;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.DomainTag;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;

/**
 * Bytes that a quote's signature covers (chain protocol, appendix D.2): the tag {@code …-QUOTE} unchanged, the genesis id, and the fields.
 * The only format of the chain with big-endian integers.
 */
final class QuoteImage {
    private static final int FIXED_FIELDS =
            1 + Quote.ID_LENGTH + 1 + 3 * Long.BYTES + PublicKey.LENGTH + 1 + 2 * Long.BYTES + 2;

    private QuoteImage() {}

    record Content(Hash256 genesis, Quote quote) {}

    /**
     * Encodes a quote for signing.
     *
     * @param quote quote whose version, currency and memo have passed their checks: other lengths have no encoding
     */
    static byte[] encode(ChainProfile chain, Hash256 genesis, Quote quote) {
        byte[] tag = chain.tag(DomainTag.QUOTE);
        byte[] currency = quote.currencyBytes();
        byte[] memo = quote.memoBytes();
        int payer = quote.payer().isPresent() ? PublicKey.LENGTH : 0;
        ByteBuffer image =
                ByteBuffer.allocate(tag.length + Hash256.LENGTH + FIXED_FIELDS + currency.length + payer + memo.length);
        image.put(tag)
                .put(genesis.toArray())
                .put((byte) quote.version())
                .put(quote.id().toArray());
        image.put((byte) currency.length).put(currency);
        image.putLong(quote.amountMinor())
                .putLong(quote.rate())
                .putLong(quote.chainAmount().bits());
        image.put(quote.payee().toArray()).put((byte) (payer == 0 ? 0 : 1));
        quote.payer().ifPresent(key -> image.put(key.toArray()));
        image.putLong(quote.issuedAt()).putLong(quote.expiresAt());
        image.putShort((short) memo.length).put(memo);
        return image.array();
    }

    /**
     * Decodes the result of {@link #encode}, and nothing else.
     *
     * @throws IllegalArgumentException for trailing bytes, a payer flag other than 0 and 1, short input, a different tag, and text that is
     *     not UTF-8
     */
    static Content decode(ChainProfile chain, byte[] bytes) {
        try {
            ByteBuffer image = ByteBuffer.wrap(bytes);
            byte[] tag = chain.tag(DomainTag.QUOTE);
            if (!Arrays.equals(take(image, tag.length), tag)) {
                throw new IllegalArgumentException("not the image of a quote of this brand");
            }
            Hash256 genesis = Hash256.of(take(image, Hash256.LENGTH));
            Quote quote = fields(image);
            if (image.hasRemaining()) {
                throw new IllegalArgumentException(image.remaining() + " bytes follow the quote");
            }
            return new Content(genesis, quote);
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("the image of a quote is truncated", e);
        }
    }

    /** Decodes the fields. Java evaluates arguments from left to right, which is the order of the fields. */
    private static Quote fields(ByteBuffer image) {
        return new Quote(
                image.get() & 0xFF,
                Bytes.wrap(take(image, Quote.ID_LENGTH)),
                text(image, image.get() & 0xFF),
                image.getLong(),
                image.getLong(),
                Amount.ofUnsigned(image.getLong()),
                PublicKey.of(take(image, PublicKey.LENGTH)),
                payer(image),
                image.getLong(),
                image.getLong(),
                text(image, image.getShort() & 0xFFFF));
    }

    private static Optional<PublicKey> payer(ByteBuffer image) {
        byte flag = image.get();
        if (flag != 0 && flag != 1) {
            throw new IllegalArgumentException("the payer flag of a quote is 0 or 1, not " + (flag & 0xFF));
        }
        return flag == 0 ? Optional.empty() : Optional.of(PublicKey.of(take(image, PublicKey.LENGTH)));
    }

    private static String text(ByteBuffer image, int length) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(take(image, length)))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("a text of the quote is not UTF-8", e);
        }
    }

    private static byte[] take(ByteBuffer image, int length) {
        byte[] taken = new byte[length];
        image.get(taken);
        return taken;
    }
}
