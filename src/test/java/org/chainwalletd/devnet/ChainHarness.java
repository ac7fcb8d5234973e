package org.chainwalletd.devnet;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.testkit.DevnetExtension;
import org.chainwalletd.testkit.Party;

/** Two parties with the published test keys A and B, and the transactions they make on a development chain. */
final class ChainHarness {
    static final ChainProfile CHAIN = ChainProfile.of("chain");
    static final Party A = new Party(1);
    static final Party B = new Party(2);

    private final DevnetExtension chain;

    ChainHarness(DevnetExtension chain) {
        this.chain = chain;
    }

    /** Creates a confirmed output of {@code value} that {@code owner} can spend. */
    Outpoint fund(Party owner, long value) {
        return new Outpoint(chain.fund(owner.address, value), 0);
    }

    /** Creates unconfirmed outputs of 300 base units each, 250 from each of {@code transactions}, that A can spend. */
    List<Outpoint> manySmall(int transactions) {
        List<Outpoint> coins = new ArrayList<>();
        for (int i = 0; i < transactions; i++) {
            TxOutput[] parts = Collections.nCopies(250, to(A, 300)).toArray(TxOutput[]::new);
            Hash256 txId = chain.submit(signed(A, List.of(fund(A, 1_000_000)), parts));
            for (int part = 0; part < parts.length; part++) {
                coins.add(new Outpoint(txId, part));
            }
        }
        return coins;
    }

    static TxOutput to(Party receiver, long value) {
        return TxOutput.toAddress(receiver.address, Amount.ofUnsigned(value));
    }

    static Transaction unsigned(List<Outpoint> inputs, TxOutput... outputs) {
        return new Transaction(inputs, List.of(outputs), List.of());
    }

    byte[] sign(Party owner, Transaction tx) {
        return owner.sign(chain.node().genesisId(), tx);
    }

    /** Signs every input as a plain one by {@code owner}. */
    Transaction signed(Party owner, List<Outpoint> inputs, TxOutput... outputs) {
        return owner.pay(chain.node().genesisId(), inputs, outputs);
    }

    /** Returns a contract in which A locks and B can claim with {@code preimage}. */
    static HtlcParams contract(byte[] preimage, long timeout) {
        return new HtlcParams(A.key, B.key, Hash256.sha256(preimage), timeout);
    }

    /** Confirms a lock of 100,000 base units under {@code params}; returns the outpoint of the contract. */
    Outpoint lock(HtlcParams params, Bytes datum, Hash256 datumHash) {
        Outpoint coin = fund(A, 200_000);
        TxOutput contract = new TxOutput(Amount.of(100_000), HtlcScript.build(params), datum, datumHash);
        Hash256 txId = chain.submit(signed(A, List.of(coin), contract, to(A, 90_000)));
        chain.mine(1);
        return new Outpoint(txId, 0);
    }

    Transaction claim(Outpoint contract, Party signer, byte[] preimage, long value) {
        Transaction tx = unsigned(List.of(contract), to(B, value));
        return tx.withWitnesses(List.of(HtlcWitness.claim(preimage, sign(signer, tx))));
    }

    Transaction reclaim(Outpoint contract, Party signer, long value) {
        Transaction tx = unsigned(List.of(contract), to(A, value));
        return tx.withWitnesses(List.of(HtlcWitness.reclaim(sign(signer, tx))));
    }

    /** Returns the result of a call with JSON parameters, written with single quotes instead of double ones. */
    JsonNode result(String method, String params) {
        return NodeCall.result(chain.uri(), method, params);
    }

    /** Returns {@code <code> <message>} of a call that must fail. */
    String error(String method, String params) {
        return NodeCall.error(chain.uri(), method, params);
    }

    long balance(Address address) {
        return result("get_balance", "{'address':'" + address + "'}")
                .get("balance")
                .longValue();
    }

    /** Returns the error text of {@code send_raw_transaction}, or {@code accepted}. */
    String send(Transaction tx) {
        return sendHex(HexFormat.of().formatHex(TransactionCodec.encode(tx)));
    }

    String sendHex(String hex) {
        var answer = NodeCall.answer(
                chain.uri(),
                "send_raw_transaction",
                NodeCall.JSON.createObjectNode().put("tx_hex", hex));
        return answer.has("error") ? answer.at("/error/message").textValue() : "accepted";
    }

    static String op(Outpoint outpoint) {
        return "OutPoint { tx_id: Hash256(" + outpoint.txId() + "), output_index: " + outpoint.index() + " }";
    }
}
