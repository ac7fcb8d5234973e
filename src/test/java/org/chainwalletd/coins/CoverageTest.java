package org.chainwalletd.coins;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.crypto.Ed25519;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.books.LedgerBooks;
import org.chainwalletd.store.books.OwnCoin;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DevnetExtension;
import org.chainwalletd.testkit.DistortingNode;
import org.chainwalletd.testkit.FollowRig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What a listing does not show is covered all the same, with no more blocks to come (following.md, section 2). */
class CoverageTest {
    private static final ChainProfile PROFILE = ChainProfile.of("chain");
    private static final int MATURITY = Network.TESTNET.coinbaseMaturity();

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension();

    @TempDir
    Path folder;

    private DistortingNode node;
    private FollowRig rig;
    private CoinLedger ledger;

    @BeforeEach
    void start() {
        node = new DistortingNode(chain.uri());
        node.lieAbout("get_address_utxos", (params, listing) -> withoutYoung(listing));
        rig = new FollowRig(folder, List.of(new LedgerBook()), FollowRig.of(Network.TESTNET), node.url());
        LedgerBooks books = new LedgerBooks(rig.books());
        ledger = new CoinLedger(books, rig.follower(), rig.executor());
        VerifiedOutputs outputs = new VerifiedOutputs(
                PROFILE,
                List.of(new LedgerOutputs(books, rig.executor())),
                rig.client(),
                rig.executor(),
                new SimpleMeterRegistry());
        rig.kit()
                .spawn(Coverage.create(
                        books, rig.follower(), rig.client(), outputs, Duration.ofMillis(50), rig.executor()));
        rig.awaitTip(chain.node().tip().id());
    }

    @AfterEach
    void stop() {
        rig.close();
        node.close();
    }

    /** As a node of the test network lists, where coinbases mature later than on the development chain. */
    private static JsonNode withoutYoung(JsonNode listing) {
        ObjectNode told = (ObjectNode) listing;
        long tip = told.get("tip_height").longValue();
        ArrayNode mature = told.arrayNode();
        told.get("utxos").forEach(utxo -> {
            boolean young = utxo.get("is_coinbase").booleanValue()
                    && tip + 1 - utxo.get("height").longValue() < MATURITY;
            if (!young) {
                mature.add(utxo);
            }
        });
        told.set("utxos", mature);
        return told;
    }

    private LedgerSnapshot covered(Address address) {
        Await.result(ledger.watchOld(List.of(address)));
        Await.until(
                "the address is covered",
                () -> Await.result(ledger.snapshot(List.of(address)))
                        .filter(snapshot -> snapshot.covers(address))
                        .isPresent());
        return Await.result(ledger.snapshot(List.of(address))).orElseThrow();
    }

    @Test
    void coinbases_that_are_too_young_to_be_listed_are_read_from_their_blocks() {
        Address miner = chain.node().minerAddress();
        chain.mine(MATURITY);
        rig.awaitTip(chain.node().tip().id());

        covered(miner);

        long tip = chain.node().tip().height();
        List<OwnCoin> coins = Await.result(new LedgerBooks(rig.books())
                        .unspent(rig.follower().tip().orElseThrow().place(), List.of(miner)))
                .orElseThrow()
                .get(miner);
        assertThat(coins).extracting(OwnCoin::height).contains(tip, tip - 1, tip - MATURITY + 2, tip - MATURITY, 1L);
        assertThat(coins).hasSize((int) tip);
    }

    @Test
    void an_address_with_more_coins_than_a_listing_shows_is_listed_page_by_page() {
        Address rich = Address.of(Hash256.sha256(new byte[1]).toArray());
        pay(rich, 1_100);
        AtomicInteger cursors = new AtomicInteger();
        node.lieAbout("get_address_utxos", (params, listing) -> {
            if (params.has("cursor")) {
                cursors.incrementAndGet();
            }
            return withoutYoung(listing);
        });

        LedgerSnapshot snapshot = covered(rich);

        assertThat(cursors.get()).isPositive();
        assertThat(Await.result(ledger.balances(List.of(rich))).orElseThrow())
                .containsExactly(Optional.of(Amount.of(1_100 * 1_000)));
        NodeClient.UtxoListing listing = snapshot.listing(rich);
        assertThat(listing.truncated()).isTrue();
        assertThat(listing.utxos()).hasSize(1_000);
    }

    /** One payment of many small outputs. */
    private void pay(Address to, int outputs) {
        byte[] seed = new byte[32];
        PublicKey key = PublicKey.of(Ed25519.publicKey(seed));
        Address payer = PROFILE.addressOf(key);
        chain.fund(payer, 10_000_000_000L);
        chain.mine(1);
        Outpoint coin =
                Await.result(rig.client().addressUtxos(payer)).utxos().get(0).outpoint();
        Transaction unsigned = Transaction.unsigned(
                List.of(coin), Collections.nCopies(outputs, TxOutput.toAddress(to, Amount.of(1_000))));
        byte[] message = TransactionCodec.signingMessage(PROFILE, chain.node().genesisId(), unsigned);
        chain.node()
                .ledger()
                .submit(unsigned.withWitnesses(
                        List.of(Witness.plain(key, Ed25519.sign(seed, key.toArray(), message)))));
        chain.mine(1);
        rig.awaitTip(chain.node().tip().id());
    }
}
