package org.chainwalletd.swap.pool;

/**
 * Names of the two chains in the pool's wire format (swap.md, section 1).
 *
 * @param chain brand of the chain, by default {@code chain}
 * @param evm brand of the account chain, by default {@code evm}
 * @param nativeAsset the account chain's asset, by default {@code native}
 */
public record PoolWords(String chain, String evm, String nativeAsset) {
    public static final PoolWords DEFAULT = new PoolWords("chain", "evm", "native");

    String direction(Direction direction) {
        return direction.isSell() ? chain + "_to_" + nativeAsset : nativeAsset + "_to_" + chain;
    }

    /** Capitalises a word, for use in a camel-case name. */
    static String capital(String word) {
        return Character.toUpperCase(word.charAt(0)) + word.substring(1);
    }
}
