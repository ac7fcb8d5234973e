package org.chainwalletd.payout;

import static org.chainwalletd.stage.Blocking.await;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.books.LedgerBooks;

/**
 * Determines which shallow change of an address a batch may spend: change of payments that spend only deep coins, or such change. Change of
 * a payment that spends a shallow deposit disappears permanently when a reorganisation removes the deposit, and a batch on top of it could
 * be neither mined nor recalled.
 */
final class SpendableChange {
    /** Minimum number of confirmations of a spendable coin of a foreign transaction. */
    private static final int MIN_DEPTH = 6;

    /** Maximum number of own payments to examine; change that depends on further ones waits until it is deep. */
    private static final int MAX_EXAMINED = 2_000;

    private final PayoutEnvironment env;
    private final Address address;
    private final long tip;
    /** Own payments that were examined, with the transactions whose coins they spend. */
    private final Map<Hash256, Set<Hash256>> parents = new HashMap<>();

    private final Set<Hash256> asked = new HashSet<>();
    private final Set<Hash256> deep = new HashSet<>();
    private final Map<Hash256, Boolean> spendable = new HashMap<>();

    SpendableChange(PayoutEnvironment env, Address address, long tip) {
        this.env = env;
        this.address = address;
        this.tip = tip;
    }

    static boolean isDeep(long height, long tip) {
        return tip + 1 - height >= MIN_DEPTH;
    }

    /** Finds those among the {@code young} transactions. Blocks. */
    Set<Hash256> among(Set<Hash256> young) {
        examine(young);
        return young.stream().filter(this::isSpendable).collect(Collectors.toSet());
    }

    private void examine(Set<Hash256> first) {
        Set<Hash256> young = first;
        while (!young.isEmpty() && parents.size() <= MAX_EXAMINED) {
            asked.addAll(young);
            Map<Hash256, Set<Hash256>> own = await(env.store().spendsOf(address, young));
            parents.putAll(own);
            List<Hash256> unknown = own.values().stream()
                    .flatMap(Set::stream)
                    .distinct()
                    .filter(txId -> !asked.contains(txId) && !deep.contains(txId))
                    .toList();
            young = young(unknown);
        }
    }

    private Set<Hash256> young(List<Hash256> txIds) {
        Set<Hash256> young = new HashSet<>();
        if (txIds.isEmpty()) {
            return young;
        }
        List<OptionalLong> heights = await(env.coins()
                .heights(txIds.stream()
                        .map(txId -> new LedgerBooks.Sought(txId, List.of()))
                        .toList()));
        for (int i = 0; i < txIds.size(); i++) {
            OptionalLong height = heights.get(i);
            if (height.isPresent() && isDeep(height.getAsLong(), tip)) {
                deep.add(txIds.get(i));
            } else {
                young.add(txIds.get(i));
            }
        }
        return young;
    }

    private boolean isSpendable(Hash256 txId) {
        Boolean known = spendable.get(txId);
        if (known == null) {
            Set<Hash256> spent = parents.get(txId);
            known = spent != null && spent.stream().allMatch(parent -> deep.contains(parent) || isSpendable(parent));
            spendable.put(txId, known);
        }
        return known;
    }
}
