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
