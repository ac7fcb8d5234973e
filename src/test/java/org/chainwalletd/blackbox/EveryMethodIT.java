package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.chainwalletd.api.EvmAccount.*;
import org.chainwalletd.api.Following.*;
import org.chainwalletd.api.Htlcs.*;
import org.chainwalletd.api.Indexing.*;
import org.chainwalletd.api.Keys.*;
import org.chainwalletd.api.Messages.*;
import org.chainwalletd.api.OwnPayments.GetSpend;
import org.chainwalletd.api.OwnPayments.ListSpends;
import org.chainwalletd.api.OwnPayments.OwnSpend;
import org.chainwalletd.api.OwnPayments.SetLabel;
import org.chainwalletd.api.OwnPayments.SetMemo;
import org.chainwalletd.api.PaymentUris.*;
import org.chainwalletd.api.Payouts;
import org.chainwalletd.api.Payouts.PayoutCancel;
import org.chainwalletd.api.Payouts.PayoutChanges;
import org.chainwalletd.api.Payouts.PayoutGet;
import org.chainwalletd.api.Payouts.PayoutList;
import org.chainwalletd.api.Payouts.PayoutPause;
import org.chainwalletd.api.Payouts.PayoutRecall;
import org.chainwalletd.api.Payouts.PayoutRelease;
import org.chainwalletd.api.Payouts.PayoutResume;
import org.chainwalletd.api.Payouts.PayoutSubmit;
import org.chainwalletd.api.Quoting.*;
import org.chainwalletd.api.Reads.*;
import org.chainwalletd.api.Spending.*;
import org.chainwalletd.api.Swapping.*;
import org.chainwalletd.api.Waiting.*;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.LauncherCall;
import org.chainwalletd.testkit.SeededKeyring;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every method of the packaged daemon, through the Java client and through the command line, in one sequence over one development chain. The last
 * test fails for each method of the registry that the others have not called.
 */
@Tag("long")
@Timeout(300)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class EveryMethodIT {
    private static final SecretBytes PASSPHRASE = secret(DaemonProcess.PASSPHRASE);
    private static final SecretBytes VAULT = secret("of the vault");
    private static final Bytes PREIMAGE = Bytes.parse("00112233");
    private static final Hash256 HASH_LOCK =
            Hash256.parse("aafa373bf008a855815ecb37d8bd52f6a8157cb5833c58edde6d530dbcf3f25d");
    private static final Hash256 NOBODY = Hash256.parse("77".repeat(32));
    private static final String EVM_ADDRESS = "0x" + "11".repeat(20);
    private static final long LATE = 100_000;

    @TempDir
    static Path folder;

    @AutoClose
    private static DaemonProcess daemon;

    private static BothWays both;
    private static Wallet wallet;
    private static GenerateAddress.Result payer;
    private static GenerateAddress.Result shop;

    @BeforeAll
    static void start() {
        Path datadir = SeededKeyring.in(folder.resolve("datadir"));
        daemon = LauncherCall.daemonWithDevnet(datadir).manyKeys().start();
        both = new BothWays(daemon, datadir);
        wallet = new Wallet(daemon, daemon);
        List<GenerateAddress.Result> keys = both.each(new GenerateAddress("payer"), new GenerateAddress("shop"));
        payer = keys.get(0);
        shop = keys.get(1);
        wallet.fundEach(payer.address().hex(), 20, 1_000_000);
    }

    @Test
    @Order(1)
    void the_chain_and_the_daemon_are_read() {
        assertThat(both.same(new Ping()).ok()).isTrue();
        assertThat(both.same(new ValidateAddress("xyz")).valid()).isFalse();
        assertThat(both.same(new GetStatus()).upstreamOk()).isTrue();
        Hash256 tip = both.same(new GetBlockHeight()).blockId();
        assertThat(both.same(new GetBlockById(tip)).blockId()).isEqualTo(tip);
        Hash256 first = both.same(new GetBlockIdAtHeight(1)).blockId();
        assertThat(both.same(new GetBlockByHeight(1)).blockId()).isEqualTo(first);
        assertThat(both.untyped("get_block", Map.of("height", 1))
                        .get("block_id")
                        .asText())
                .isEqualTo(first.hex());
        both.untyped("rpc.discover", Map.of());
        assertThat(both.same(new GetFollowerStatus()).lastIndexedHeight()).isPositive();
        assertThat(both.same(new GetBalance(payer.address())).balance()).isEqualTo(Amount.of(20_000_000));
        assertThat(both.same(new GetWalletBalance()).total()).isEqualTo(Amount.of(20_000_000));
        both.same(new GetWalletHistory());
        assertThat(both.same(new GetAddressUtxos(payer.address())).utxos()).hasSize(20);
        // Whether they were seen in the mempool first depends on timing.
        assertThat(both.same(ListCredits.of().withMinConfirmations(1)).credits())
                .hasSize(20);
        assertThat(both.same(GetAddressHistory.of(payer.address())).history()).hasSize(20);
        both.same(new AllowanceStatus());
        both.same(new Rescan(1));
        assertThat(both.same(WaitForPayment.of(shop.address()).withTimeoutSecs(1))
                        .timedOut())
                .isTrue();
    }

    @Test
    @Order(1)
    void keys_are_made_shown_taken_away_and_brought_back() {
        both.each(new ImportPrivateKey(secret("01".repeat(32))), new ImportPrivateKey(secret("02".repeat(32))));
        List<NewKey> independent = both.each(new GenerateIndependentAddress(), new GenerateIndependentAddress());
        List<NewKey> standard = both.each(new GenerateStandardAddress(), new GenerateStandardAddress());
        List<String> phrases = Stream.concat(
                        both
                                .each(
                                        new RevealAddressMnemonic(
                                                independent.get(0).address(), PASSPHRASE),
                                        new RevealAddressMnemonic(
                                                independent.get(1).address(), PASSPHRASE))
                                .stream(),
                        both
                                .each(
                                        new RevealAddressMnemonic(
                                                standard.get(0).address(), PASSPHRASE),
                                        new RevealAddressMnemonic(
                                                standard.get(1).address(), PASSPHRASE))
                                .stream())
                .map(revealed -> words(revealed.mnemonic()))
                .toList();
        both.same(new RevealPrivateKey(payer.address(), PASSPHRASE));
        both.same(new RevealMnemonic(PASSPHRASE));
        both.same(new ExportAddress(payer.address(), VAULT));
        both.each(
                new DeleteAddress(independent.get(0).address(), PASSPHRASE),
                new DeleteAddress(independent.get(1).address(), PASSPHRASE));
        both.each(
                new DeleteAddress(standard.get(0).address(), PASSPHRASE),
                new DeleteAddress(standard.get(1).address(), PASSPHRASE));
        Bytes vault = both.same(new ExportVault(VAULT)).vaultHex();
        assertThat(both.each(new ImportMnemonic(secret(phrases.get(0))), new ImportMnemonic(secret(phrases.get(1)))))
                .extracting(NewKey::address)
                .containsExactlyElementsOf(
                        independent.stream().map(NewKey::address).toList());
        assertThat(both.each(
                        new ImportStandardMnemonic(secret(phrases.get(2))),
                        new ImportStandardMnemonic(secret(phrases.get(3)))))
                .extracting(NewKey::address)
                .containsExactlyElementsOf(
                        standard.stream().map(NewKey::address).toList());
        assertThat(both.same(new ImportVault(vault, VAULT)).imported()).isEmpty();
        assertThat(both.same(new ListAddresses()).addresses()).hasSize(8);
        Address cold = Address.parse("99".repeat(32));
        Address other = Address.parse("98".repeat(32));
        assertThat(both.same(new WatchAddress(cold)).origin()).isEqualTo("watch_only");
        both.same(new WatchAddress(other));
        assertThat(both.same(new ListAddresses(Optional.of(true))).watchOnly().orElseThrow())
                .hasSize(2);
        assertThat(both.each(new UnwatchAddress(cold), new UnwatchAddress(other)))
                .allMatch(UnwatchAddress.Result::wasWatched);
    }

    @Test
    @Order(1)
    void messages_payment_requests_and_quotes_are_made_and_judged() {
        SignMessage.Result signed = both.same(new SignMessage(payer.address(), "hello"));
        assertThat(both.same(new VerifyMessage(signed.pubkey(), signed.signature(), "hello"))
                        .valid())
                .isTrue();
        String uri = both.same(
                        new PaymentUriEncode(PaymentRequest.of(shop.address()).withMemo("order 7 & more")))
                .uri();
        assertThat(both.same(new PaymentUriDecode(uri)).memo()).contains("order 7 & more");
        QuoteCredential quote = both.same(
                        QuoteIssue.of(shop.address(), shop.pubkey(), "EUR", 10, 10, Amount.of(LATE), 600))
                .quote();
        assertThat(both.same(new QuoteVerify(quote)).valid()).isTrue();
        assertThat(both.same(new FindSettlementsByQuoteId(quote.quoteId())).settlements())
                .isEmpty();
    }

    @Test
    @Order(2)
    void money_is_sent_and_its_way_is_followed() {
        Payment payment = Payment.of(payer.address(), List.of(Output.of(shop.address(), Amount.of(5_000))));
        assertThat(both.same(new SimulateTransfer(payment)).change()).isGreaterThan(Amount.ZERO);
        Transfer.Result paid =
                both.same(new Transfer(payment.withDatum(Bytes.parse("00".repeat(16))), "every-method-1"));
        assertThat(both.same(new GetAddressMempool(shop.address())).mempool()).hasSize(1);
        Bytes bytes = both.same(new GetTransaction(paid.txId())).txHex();
        daemon.nodeCall("devnet_set", Map.of("forget_mempool", true));
        assertThat(daemon.client("spend").call(new SendRawTransaction(bytes)).txId())
                .isEqualTo(paid.txId());
        daemon.nodeCall("devnet_set", Map.of("forget_mempool", true));
        assertThat(both.each(new SendRawTransaction(bytes), new SendRawTransaction(bytes)))
                .extracting(SendRawTransaction.Result::txId)
                .containsOnly(paid.txId());
        wallet.confirm();
        assertThat(both.same(WaitForTx.of(paid.txId())).confirmations()).isPositive();
        OwnSpend told = both.same(GetSpend.ofToken("every-method-1")).spend().orElseThrow();
        assertThat(told.txId()).isEqualTo(paid.txId());
        assertThat(both.same(ListSpends.of().withTokenName("spend")).spends())
                .extracting(OwnSpend::spendId)
                .contains(told.spendId());
        assertThat(both.same(new SetMemo(told.spendId(), "order 7")).memo()).contains("order 7");
        assertThat(both.same(new SetLabel(shop.address(), "the shop")).label()).contains("the shop");
        assertThat(both.same(new GetOutputDatum(paid.txId(), 0)).quoteId()).contains(Bytes.parse("00".repeat(16)));
        Input spent = paid.inputs().get(0);
        assertThat(both.same(new GetOutputSpentBy(spent.txId(), spent.outputIndex()))
                        .spendingTxId())
                .contains(paid.txId());
        AbandonTransfer.ReservedOutpoint nothing = new AbandonTransfer.ReservedOutpoint(NOBODY, 0);
        assertThat(both.same(new AbandonTransfer(List.of(nothing))).releasedCount())
                .isZero();
    }

    @Test
    @Order(2)
    void payouts_are_queued_reported_cancelled_paid_and_recalled() {
        Address somebody = Address.parse("ab".repeat(32));
        // Batches spend coins received from others only with six confirmations.
        wallet.mine(6);
        both.same(new PayoutPause());
        List<Payouts.Order> orders = List.of(
                Payouts.Order.of("payout-one", somebody, Amount.of(1_001)),
                Payouts.Order.of("payout-two", somebody, Amount.of(1_002)));
        assertThat(both.same(PayoutSubmit.of(orders, List.of(payer.address()))).payouts())
                .hasSize(2);
        both.same(new PayoutCancel(List.of("payout-two")));
        both.same(new PayoutRelease(List.of("payout-one")));
        both.same(new PayoutResume());
        Await.until("it is in flight", () -> !payout("payout-one").attempts().isEmpty());
        wallet.confirm();
        Await.until("it is confirmed", () -> payout("payout-one").state().equals("confirmed"));
        assertThat(both.same(PayoutList.of().withState("cancelled")).payouts())
                .extracting(Payouts.Payout::payoutId)
                .containsExactly("payout-two");
        assertThat(both.same(PayoutChanges.of()).payouts()).hasSize(2);
        List<Payouts.Order> third = List.of(Payouts.Order.of("payout-three", somebody, Amount.of(1_003)));
        both.same(PayoutSubmit.of(third, List.of(payer.address())));
        Await.until("it is in flight", () -> !payout("payout-three").attempts().isEmpty());
        Hash256 batch = payout("payout-three").attempts().get(0);
        assertThat(both.same(new PayoutRecall(batch, OptionalLong.empty())).recallTxId())
                .isNotEqualTo(batch);
        wallet.confirm();
        Await.until(
                "one of the two is mined", () -> payout("payout-three").state().equals("confirmed"));
    }

    @Test
    @Order(2)
    void an_address_is_swept() {
        Address swept = both.each(new GenerateAddress("swept"), new GenerateAddress("swept"))
                .get(0)
                .address();
        wallet.fund(swept.hex(), 5_000, 6_000);
        Sweep call = new Sweep(Payouts.Source.of(List.of(swept)), shop.address(), "sweep-of-one-address");
        Await.until("the books have both coins", () -> {
            try {
                return !both.same(call).spends().isEmpty();
            } catch (WalletdException notYet) {
                return false;
            }
        });
        assertThat(both.same(call).spends())
                .singleElement()
                .satisfies(part -> assertThat(part.coins()).isEqualTo(2));
        assertThat(both.same(new GetSweep("sweep-of-one-address"))
                        .sweep()
                        .orElseThrow()
                        .spends())
                .hasSize(1);
        assertThat(both.same(new GetSweep("a-token-of-no-sweep")).sweep()).isEmpty();
        assertThat(both.same(new SweepStop("sweep-of-one-address")).sweep().spends())
                .hasSize(1);
        wallet.confirm();
    }

    private static Payouts.Payout payout(String id) {
        return both.same(new PayoutGet(id)).payout().orElseThrow();
    }

    @Test
    @Order(2)
    void htlcs_are_locked_claimed_taken_back_listed_and_forgotten() {
        both.same(new SimulateHtlcLock(lock(LATE)));
        List<Hash256> toClaim = locks(LATE);
        List<Hash256> toTakeBack = locks(1);
        wallet.confirm();
        toClaim.forEach(lock -> wallet.confirmed(lock.hex()));
        toTakeBack.forEach(lock -> wallet.confirmed(lock.hex()));
        both.each(claim(toClaim.get(0)), claim(toClaim.get(1)));
        both.each(takeBack(toTakeBack.get(0)), takeBack(toTakeBack.get(1)));
        wallet.confirm();
        Await.until(
                "all are settled",
                () -> both.same(HtlcList.of()).htlcs().stream()
                        .allMatch(
                                htlc -> List.of(State.CLAIMED, State.RECLAIMED).contains(htlc.state())));
        assertThat(both.same(new HtlcStatus(toClaim.get(0))).state()).isEqualTo(State.CLAIMED);
        assertThat(both.same(new HtlcLookupByHashlock(HASH_LOCK)).htlcs()).hasSize(4);
        assertThat(both.same(DetectInChainSwaps.of()).swaps()).hasSize(1);
        assertThat(both.same(ListSettlements.of(payer.address())).settlements()).isNotEmpty();
        assertThat(both.same(new ContractStats(payer.address())).stats()).isNotEmpty();
        assertThat(both.same(new GetAttestationEdges(payer.address())).edges()).isNotEmpty();
        Bytes script = daemon.client("read").call(new GetTransaction(toClaim.get(0))).outputs().stream()
                .flatMap(output -> output.scriptHex().stream())
                .findFirst()
                .orElseThrow();
        both.same(new GetScriptUtxos(script));
        assertThat(both.each(new HtlcForget(toClaim.get(0)), new HtlcForget(toClaim.get(1))))
                .extracting(HtlcForget.Result::removed)
                .containsOnly(true);
    }

    private static List<Hash256> locks(long timeout) {
        HtlcLock lock = new HtlcLock(lock(timeout), Optional.empty(), Optional.empty());
        return both.each(lock, lock).stream().map(HtlcLock.Result::txId).toList();
    }

    private static Lock lock(long timeout) {
        return Lock.of(payer.address(), shop.pubkey(), HASH_LOCK, timeout, Amount.of(10_000));
    }

    private static HtlcClaim claim(Hash256 lock) {
        return HtlcClaim.of(shop.address(), lock, PREIMAGE, payer.pubkey(), LATE);
    }

    private static HtlcReclaim takeBack(Hash256 lock) {
        return HtlcReclaim.of(payer.address(), lock, shop.pubkey(), HASH_LOCK, 1);
    }

    private static SecretBytes secret(String text) {
        return SecretBytes.takeOver(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String words(List<SecretBytes> mnemonic) {
        return mnemonic.stream()
                .map(word -> new String(word.copy(), StandardCharsets.UTF_8))
                .collect(Collectors.joining(" "));
    }

    /** Uses a keyring without a seed: the key derived from a seed is given up only if an account chain answers. */
    @Test
    @Order(1)
    void the_key_of_the_account_chain_is_made_shown_and_taken_away() {
        Path datadir = folder.resolve("seedless");
        try (DaemonProcess seedless =
                LauncherCall.daemon(datadir).node(daemon.nodeUri()).manyKeys().start()) {
            BothWays keys = new BothWays(seedless, datadir);
            keys.each(new EvmCreateAddress(), new EvmCreateAddress(true));
            String address = keys.same(new EvmGetAddress()).address().orElseThrow();
            keys.same(new EvmRevealMnemonic(PASSPHRASE));
            assertThat(keys.same(new RevealEvmPrivateKey(PASSPHRASE)).address()).isEqualTo(address);
            EvmDeleteKey delete = new EvmDeleteKey(PASSPHRASE, true);
            keys.byClient(delete);
            keys.byClient(new EvmImportKey(secret("03".repeat(32))));
            keys.byCommandLine(delete);
            keys.byCommandLine(new EvmImportKey(secret("04".repeat(32))));
            keys.byClient(delete);
            String phrase = "abandon ".repeat(11) + "about";
            keys.byClient(new EvmImportMnemonic(secret(phrase)));
            keys.byClient(delete);
            keys.byCommandLine(new EvmImportMnemonic(secret(phrase)));
            both.alsoCalledBy(keys);
        }
    }

    /** Uses a daemon without a pool and without an account chain. */
    @Test
    @Order(2)
    void swaps_are_refused_as_long_as_they_are_not_configured() {
        Stream.of(
                        new SwapGetQuote("chain_to_native", "1.5", payer.address()),
                        new SwapExecute("s1"),
                        new SwapRefund("s1"),
                        new SwapStatus("s1"),
                        SwapList.of(),
                        new SwapPoolInfo(),
                        SwapPriceKlines.of(),
                        new LpPoolInfo(),
                        new LpPosition(payer.address()),
                        new LpDepositStart(payer.address(), EVM_ADDRESS),
                        new LpDepositStatus("d1"),
                        new LpWithdrawSelf(payer.address(), "1"),
                        new EvmGetBalances(),
                        EvmTxHistory.of(),
                        new EvmSendNative(EVM_ADDRESS, "0.1", Optional.empty()))
                .forEach(both::unconfigured);
    }

    @Test
    @Order(3)
    void no_method_was_left_out() {
        assertThat(both.called()).containsExactlyElementsOf(both.all());
    }
}
