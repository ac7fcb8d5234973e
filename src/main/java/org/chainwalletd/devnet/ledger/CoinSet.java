package org.chainwalletd.devnet.ledger;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Outpoint;

/** The unspent outputs of the best chain, by outpoint and by script; a script's outputs come in the order of their outpoints. */
final class CoinSet {
    private final Map<Outpoint, Coin> coins = new HashMap<>();
    private final Map<Bytes, NavigableMap<Outpoint, Coin>> byScript = new HashMap<>();

    Coin get(Outpoint outpoint) {
        return coins.get(outpoint);
    }

    NavigableMap<Outpoint, Coin> ofScript(Bytes script) {
        return byScript.getOrDefault(script, Collections.emptyNavigableMap());
    }

    void add(Coin coin) {
        if (coins.putIfAbsent(coin.outpoint(), coin) != null) {
            throw new IllegalStateException("output exists already: " + coin.outpoint());
        }
        byScript.computeIfAbsent(coin.output().script(), script -> new TreeMap<>())
                .put(coin.outpoint(), coin);
    }

    Coin remove(Outpoint outpoint) {
        Coin coin = coins.remove(outpoint);
        if (coin == null) {
            throw new IllegalStateException("no such output: " + outpoint);
        }
        byScript.computeIfPresent(coin.output().script(), (script, listed) -> {
            listed.remove(outpoint);
            return listed.isEmpty() ? null : listed;
        });
        return coin;
    }
}
