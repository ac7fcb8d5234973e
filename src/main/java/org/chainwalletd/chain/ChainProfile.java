package org.chainwalletd.chain;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/**
 * Parameters of one branded chain: the brand word, the tags derived from it, and the consensus constants. Immutable; one instance for the lifetime
 * of a keystore.
 */
public final class ChainProfile {
    /** Smallest value of any output, in base units. */
    public static final Amount DUST_THRESHOLD = Amount.of(200);
    /** Cost units per base unit of minimum fee. */
    public static final int FEE_DIVISOR = 100;
    /** SLIP-0044 coin type of the legacy derivation path; private use. */
    public static final int COIN_TYPE = 9527;

    public static final int MAX_TRANSACTION_BYTES = 1_048_576;
    public static final int MAX_BLOCK_BYTES = 4_194_304;
    public static final int MAX_DATUM_BYTES = 4_096;
    public static final int MAX_REDEEMER_BYTES = 16_384;
    /** Longest script and longest witness data: the maximum of a u16 length. */
    public static final int MAX_VAR_BYTES = 65_535;

    public static final long MAX_STEPS_PER_TRANSACTION = 20_000_000;

    private final String brand;
    private final Map<DomainTag, byte[]> tags = new EnumMap<>(DomainTag.class);

    private ChainProfile(String brand) {
        this.brand = brand;
        for (DomainTag tag : DomainTag.values()) {
            tags.put(tag, (brand.toUpperCase(Locale.ROOT) + "-" + tag.suffix()).getBytes(StandardCharsets.US_ASCII));
        }
    }

    /**
     * @param brand five ASCII letters of either case; kept in lower case
     * @throws IllegalArgumentException for any other word
     */
    public static ChainProfile of(String brand) {
        if (!brand.matches("[A-Za-z]{5}")) {
            throw new IllegalArgumentException("the brand word must have exactly five ASCII letters: '" + brand + "'");
        }
        return new ChainProfile(brand.toLowerCase(Locale.ROOT));
    }

    /** Returns the brand word in lower case. */
    public String brand() {
        return brand;
    }

    /** Returns {@code <brand>-walletd}: used for the data folder, certificate paths and the subject name. */
    public String daemonName() {
        return brand + "-walletd";
    }

    /** Returns the additional authenticated data that binds a sealed file to its role (chain protocol, appendix C). */
    public byte[] sealedRole(String role) {
        return (daemonName() + "/v1/" + role).getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns a copy of the tag's ASCII bytes, such as {@code CHAIN-SIG}. */
    public byte[] tag(DomainTag tag) {
        return tags.get(tag).clone();
    }

    /** Computes {@code H(tag, parts)}: SHA-256 of the tag's length byte, the tag and the parts in order (section 2.1). */
    public Hash256 hash(DomainTag tag, byte[]... parts) {
        byte[] ascii = tags.get(tag);
        MessageDigest sha256 = Sha256.digest();
        sha256.update((byte) ascii.length);
        sha256.update(ascii);
        for (byte[] part : parts) {
            sha256.update(part);
        }
        return Hash256.wrap(sha256.digest());
    }

    /** Computes {@code H("…-ADDR", key)} (section 3). */
    public Address addressOf(PublicKey key) {
        return Address.of(hash(DomainTag.ADDR, key.unsafe()).unsafe());
    }
}
