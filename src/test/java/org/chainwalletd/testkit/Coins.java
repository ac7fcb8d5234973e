package org.chainwalletd.testkit;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.devnet.Devnet;

/** Confirmed coins of a development chain for an address. */
public final class Coins {
    /** Up to this number, each coin is paid by a separate transaction, as coins from different payers are. */
    private static final int FEW = 20;

    private static final Party PURSE = new Party(0);

    private Coins() {}

    /** Returns the values of the confirmed coins of an address, in the order in which the chain lists them. */
    public static Map<Outpoint, Long> of(Devnet devnet, Address address) {
        return of(devnet, address, Long.MAX_VALUE);
    }

    /** Returns the values of the coins of an address in blocks up to this height. */
    public static Map<Outpoint, Long> of(Devnet devnet, Address address, long highest) {
        Map<Outpoint, Long> values = new LinkedHashMap<>();
        devnet.ledger().list(Bytes.wrap(address.toArray()), null, null, 1000).coins().stream()
                .filter(coin -> coin.height() <= highest)
                .forEach(coin ->
                        values.put(coin.outpoint(), coin.output().value().bits()));
        return values;
    }

    /**
     * Pays coins of these values and confirms them. Many coins are paid by one transaction, because each transaction costs the chain a signature
     * and its verification.
     */
    public static void give(Devnet devnet, Address to, long... values) {
        if (values.length > FEW) {
            giveAtOnce(devnet, to, values);
        } else {
            Arrays.stream(values).forEach(value -> devnet.faucet(to, Amount.of(value)));
        }
        devnet.mine(1);
    }

    private static void giveAtOnce(Devnet devnet, Address to, long... values) {
        List<TxOutput> outputs = Arrays.stream(values)
                .mapToObj(value -> TxOutput.toAddress(to, Amount.of(value)))
                .toList();
        Amount fee = TxShape.ofOutputs(outputs).plusPlainInputs(1).minimumFee();
        Amount all = Amount.of(Arrays.stream(values).sum()).plus(fee);
        Hash256 filled = devnet.faucet(PURSE.address, all);
        devnet.mine(1);
        devnet.ledger()
                .submit(PURSE.pay(devnet.genesisId(), new Outpoint(filled, 0), outputs.toArray(TxOutput[]::new)));
    }
}
