package org.chainwalletd.rpc.method.spend;

import java.util.List;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.Coin;
import org.chainwalletd.wire.U32;

/** A coin that a transaction spends. */
record InputView(Hash256 txId, @U32 long outputIndex, Amount value) {
    static List<InputView> of(List<Coin> coins) {
        return coins.stream()
                .map(coin ->
                        new InputView(coin.outpoint().txId(), coin.outpoint().index(), coin.value()))
                .toList();
    }
}
