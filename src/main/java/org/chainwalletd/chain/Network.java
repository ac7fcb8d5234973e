package org.chainwalletd.chain;

import java.util.Locale;
import java.util.Optional;

/** Networks of the chain, with the coinbase maturity of each (chain protocol, section 8.2). */
public enum Network {
    MAINNET(360),
    TESTNET(10),
    DEVNET(1);

    private final int coinbaseMaturity;

    Network(int coinbaseMaturity) {
        this.coinbaseMaturity = coinbaseMaturity;
    }

    /** Returns the number of blocks from a coinbase to the first block that may spend it. */
    public int coinbaseMaturity() {
        return coinbaseMaturity;
    }

    /**
     * Returns the height of the first tip after which the next block may spend a coinbase: that block, at height {@code tip + 1}, may spend it
     * when {@code tip + 1 - height >= maturity}.
     */
    public static long matureAt(long height, int maturity) {
        return height + maturity - 1L;
    }

    /** Returns the height up to which coinbases are mature at a tip, the reverse of {@link #matureAt}. Negative while none is. */
    public static long newestMature(long tip, int maturity) {
        return tip - matureAt(0, maturity);
    }

    /** Whether the block after the tip may spend a coinbase. Heights are unsigned, and a coinbase above the tip is not mature. */
    public static boolean isMature(long height, long tip, int maturity) {
        return Long.compareUnsigned(height, tip) <= 0 && Long.compareUnsigned(tip - height, matureAt(0, maturity)) >= 0;
    }

    /** Returns the name in lower case, as in {@code get_node_info}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<Network> ofWord(String word) {
        for (Network network : values()) {
            if (network.word().equals(word)) {
                return Optional.of(network);
            }
        }
        return Optional.empty();
    }
}
