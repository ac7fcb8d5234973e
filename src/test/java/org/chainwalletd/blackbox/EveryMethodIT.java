package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.chainwalletd.client.method.*;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.LauncherCall;
import org.chainwalletd.testkit.SeededKeyring;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every method of the packaged daemon, through the Java client and through the command line, in one story over one development chain. The last
 * test fails for each method of the registry that the others have left out.
 */
@Tag("long")
@Timeout(300)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class EveryMethodIT {
    private static final String PASSPHRASE = DaemonProcess.PASSPHRASE;
    private static final String VAULT = "of the vault";
    private static final String PREIMAGE = "00112233";
    private static final String HASH_LOCK = "aafa373bf008a855815ecb37d8bd52f6a8157cb5833c58edde6d530dbcf3f25d";
    private static final String NOBODY = "77".repeat(32);
    private static final String EVM_ADDRESS = "0x" + "11".repeat(20);
    private static final BigInteger LATE = BigInteger.valueOf(100_000);

    @TempDir
    static Path folder;

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
        List<GenerateAddress.Result> keys = both.each(
                GenerateAddress.of().withLabel("payer"), GenerateAddress.of().withLabel("shop"));
        payer = keys.get(0);
        shop = keys.get(1);
        long[] coins = Stream.generate(() -> 1_000_000L)
                .limit(20)
                .mapToLong(Long::longValue)
                .toArray();
        wallet.fund(payer.address(), coins);
    }

    @AfterAll
    static void stop() {
        if (daemon != null) {
            daemon.close();
        }
    }

    @Test
    @Order(1)
    void the_chain_and_the_daemon_are_read() {
        assertThat(both.same(Ping.of()).ok()).isTrue();
        assertThat(both.same(ValidateAddress.of("xyz")).valid()).isFalse();
        assertThat(both.same(GetStatus.of()).upstreamOk()).isTrue();
        String tip = both.same(GetBlockHeight.of()).blockId();
        assertThat(both.same(GetBlockById.of(tip)).blockId()).isEqualTo(tip);
        String first = both.same(GetBlockIdAtHeight.of(BigInteger.ONE)).blockId();
        assertThat(both.same(GetBlockByHeight.of(BigInteger.ONE)).blockId()).isEqualTo(first);
        assertThat(both.untyped("get_block", Map.of("height", 1))
                        .get("block_id")
                        .asText())
                .isEqualTo(first);
        both.untyped("rpc.discover", Map.of());
        assertThat(both.same(GetFollowerStatus.of()).lastIndexedHeight()).isPositive();
        assertThat(both.same(GetBalance.of(payer.address())).balance()).isEqualTo(20_000_000);
        assertThat(both.same(GetWalletBalance.of()).total()).isEqualTo(20_000_000);
        assertThat(both.same(GetAddressUtxos.of(payer.address())).utxos()).hasSize(20);
        // What was seen of them in the mempool before depends on when it was looked at.
        assertThat(both.same(ListCredits.of().withMinConfirmations(1L)).credits())
                .hasSize(20);
        assertThat(both.same(GetAddressHistory.of(payer.address())).history()).hasSize(20);
        both.same(AllowanceStatus.of());
        both.same(Rescan.of(BigInteger.ONE));
        assertThat(both.same(WaitForPayment.of(shop.address()).withTimeoutSecs(BigInteger.ONE))
                        .timedOut())
                .isTrue();
    }

    @Test
    @Order(1)
    void keys_are_made_shown_taken_away_and_brought_back() {
        both.each(ImportPrivateKey.of("01".repeat(32)), ImportPrivateKey.of("02".repeat(32)));
        List<GenerateIndependentAddress.Result> independent =
                both.each(GenerateIndependentAddress.of(), GenerateIndependentAddress.of());
        List<GenerateStandardAddress.Result> standard =
                both.each(GenerateStandardAddress.of(), GenerateStandardAddress.of());
        List<String> phrases = Stream.concat(
                        both
                                .each(
                                        RevealAddressMnemonic.of(
                                                independent.get(0).address(), PASSPHRASE),
                                        RevealAddressMnemonic.of(
                                                independent.get(1).address(), PASSPHRASE))
                                .stream(),
                        both
                                .each(
                                        RevealAddressMnemonic.of(standard.get(0).address(), PASSPHRASE),
                                        RevealAddressMnemonic.of(standard.get(1).address(), PASSPHRASE))
                                .stream())
                .map(revealed -> String.join(" ", revealed.mnemonic()))
                .toList();
        both.same(RevealPrivateKey.of(payer.address(), PASSPHRASE));
        both.same(RevealMnemonic.of(PASSPHRASE));
        both.same(ExportAddress.of(payer.address(), VAULT));
        both.each(
                DeleteAddress.of(independent.get(0).address(), PASSPHRASE),
                DeleteAddress.of(independent.get(1).address(), PASSPHRASE));
        both.each(
                DeleteAddress.of(standard.get(0).address(), PASSPHRASE),
                DeleteAddress.of(standard.get(1).address(), PASSPHRASE));
        String vault = both.same(ExportVault.of(VAULT)).vaultHex();
        assertThat(both.each(ImportMnemonic.of(phrases.get(0)), ImportMnemonic.of(phrases.get(1))))
                .extracting(ImportMnemonic.Result::address)
                .containsExactlyElementsOf(independent.stream()
                        .map(GenerateIndependentAddress.Result::address)
                        .toList());
        assertThat(both.each(ImportStandardMnemonic.of(phrases.get(2)), ImportStandardMnemonic.of(phrases.get(3))))
                .extracting(ImportStandardMnemonic.Result::address)
                .containsExactlyElementsOf(standard.stream()
                        .map(GenerateStandardAddress.Result::address)
                        .toList());
        assertThat(both.same(ImportVault.of(vault, VAULT)).imported()).isEmpty();
        assertThat(both.same(ListAddresses.of()).addresses()).hasSize(8);
    }

    @Test
    @Order(1)
    void messages_payment_requests_and_quotes_are_made_and_judged() {
        SignMessage.Result signed = both.same(SignMessage.of(payer.address(), "hello"));
        assertThat(both.same(VerifyMessage.of(signed.pubkey(), signed.signature(), "hello"))
                        .valid())
                .isTrue();
        String uri = both.same(PaymentUriEncode.of(shop.address()).withMemo("order 7 & more"))
                .uri();
        assertThat(both.same(PaymentUriDecode.of(uri)).memo()).contains("order 7 & more");
        QuoteIssue.Result.Quote quote = both.same(QuoteIssue.of(
                        shop.address(),
                        shop.pubkey(),
                        "EUR",
                        BigInteger.TEN,
                        BigInteger.TEN,
                        LATE,
                        BigInteger.valueOf(600)))
                .quote();
        QuoteVerify.Quote shown = QuoteVerify.Quote.of(
                quote.version(),
                quote.quoteId(),
                quote.currency(),
                quote.amountMinor(),
                quote.rateChainPerUnit(),
                quote.chainAmount(),
                quote.payeePubkey(),
                quote.issuedAt(),
                quote.expiresAt(),
                quote.memo(),
                quote.signerPubkey(),
                quote.signature());
        assertThat(both.same(QuoteVerify.of(shown)).valid()).isTrue();
        assertThat(both.same(FindSettlementsByQuoteId.of(quote.quoteId())).settlements())
                .isEmpty();
    }

    @Test
    @Order(2)
    void money_is_sent_and_its_way_is_followed() {
        List<Transfer.Output> outputs = List.of(Transfer.Output.of(shop.address(), BigInteger.valueOf(5_000)));
        assertThat(both.same(SimulateTransfer.of(
                                payer.address(),
                                List.of(SimulateTransfer.Output.of(shop.address(), BigInteger.valueOf(5_000)))))
                        .change())
                .isPositive();
        Transfer.Result paid = both.same(
                Transfer.of(payer.address(), outputs).withDatum("00".repeat(16)).withClientToken("every-method-1"));
        assertThat(both.same(GetAddressMempool.of(shop.address())).mempool()).hasSize(1);
        String bytes = both.same(GetTransaction.of(paid.txId())).txHex();
        daemon.nodeCall("devnet_set", Map.of("forget_mempool", true));
        assertThat(daemon.client("spend")
                        .sendRawTransaction(SendRawTransaction.of(bytes))
                        .txId())
                .isEqualTo(paid.txId());
        daemon.nodeCall("devnet_set", Map.of("forget_mempool", true));
        assertThat(both.each(SendRawTransaction.of(bytes), SendRawTransaction.of(bytes)))
                .extracting(SendRawTransaction.Result::txId)
                .containsOnly(paid.txId());
        wallet.confirm();
        assertThat(both.same(WaitForTx.of(paid.txId())).confirmations()).isPositive();
        assertThat(both.same(GetOutputDatum.of(paid.txId(), 0L)).quoteId()).contains("00".repeat(16));
        Transfer.Result.Input spent = paid.inputs().get(0);
        assertThat(both.same(GetOutputSpentBy.of(spent.txId(), spent.outputIndex()))
                        .spendingTxId())
                .contains(paid.txId());
        AbandonTransfer.Outpoint nothing = AbandonTransfer.Outpoint.of(NOBODY, 0L);
        assertThat(both.same(AbandonTransfer.of(List.of(nothing))).releasedCount())
                .isZero();
    }

    @Test
    @Order(2)
    void htlcs_are_locked_claimed_taken_back_listed_and_forgotten() {
        both.same(SimulateHtlcLock.of(payer.address(), shop.pubkey(), HASH_LOCK, LATE, BigInteger.valueOf(10_000)));
        List<String> toClaim = locks(LATE);
        List<String> toTakeBack = locks(BigInteger.ONE);
        wallet.confirm();
        toClaim.forEach(wallet::confirmed);
        toTakeBack.forEach(wallet::confirmed);
        both.each(claim(toClaim.get(0)), claim(toClaim.get(1)));
        both.each(takeBack(toTakeBack.get(0)), takeBack(toTakeBack.get(1)));
        wallet.confirm();
        Await.until(
                "all are settled",
                () -> both.same(HtlcList.of()).htlcs().stream()
                        .allMatch(htlc -> List.of("claimed", "reclaimed").contains(htlc.state())));
        assertThat(both.same(HtlcStatus.of(toClaim.get(0))).state()).isEqualTo("claimed");
        assertThat(both.same(HtlcLookupByHashlock.of(HASH_LOCK)).htlcs()).hasSize(4);
        assertThat(both.same(DetectInChainSwaps.of()).swaps()).hasSize(1);
        assertThat(both.same(ListSettlements.of(payer.address())).settlements()).isNotEmpty();
        assertThat(both.same(ContractStats.of(payer.address())).stats()).isNotEmpty();
        assertThat(both.same(GetAttestationEdges.of(payer.address())).edges()).isNotEmpty();
        String script = daemon.client("read").getTransaction(GetTransaction.of(toClaim.get(0))).outputs().stream()
                .flatMap(output -> output.scriptHex().stream())
                .findFirst()
                .orElseThrow();
        both.same(GetScriptUtxos.of(script));
        assertThat(both.each(HtlcForget.of(toClaim.get(0)), HtlcForget.of(toClaim.get(1))))
                .extracting(HtlcForget.Result::removed)
                .containsOnly(true);
    }

    private static List<String> locks(BigInteger timeout) {
        HtlcLock lock = HtlcLock.of(payer.address(), shop.pubkey(), HASH_LOCK, timeout, BigInteger.valueOf(10_000));
        return both.each(lock, lock).stream().map(HtlcLock.Result::txId).toList();
    }

    private static HtlcClaim claim(String lock) {
        return HtlcClaim.of(shop.address(), lock, PREIMAGE, payer.pubkey(), LATE);
    }

    private static HtlcReclaim takeBack(String lock) {
        return HtlcReclaim.of(payer.address(), lock, shop.pubkey(), HASH_LOCK, BigInteger.ONE);
    }

    /** On a keyring without a seed: a seed gives a key of its own, which only an account chain that answers lets go. */
    @Test
    @Order(1)
    void the_key_of_the_account_chain_is_made_shown_and_taken_away() {
        Path datadir = folder.resolve("seedless");
        try (DaemonProcess seedless =
                LauncherCall.daemon(datadir).node(daemon.nodeUri()).manyKeys().start()) {
            BothWays keys = new BothWays(seedless, datadir);
            keys.each(EvmCreateAddress.of(), EvmCreateAddress.of().withForce(true));
            String address = keys.same(EvmGetAddress.of()).address().orElseThrow();
            keys.same(EvmRevealMnemonic.of(PASSPHRASE));
            assertThat(keys.same(RevealEvmPrivateKey.of(PASSPHRASE)).address()).isEqualTo(address);
            EvmDeleteKey delete = EvmDeleteKey.of(PASSPHRASE).withForce(true);
            keys.byClient(delete);
            keys.byClient(EvmImportKey.of("03".repeat(32)));
            keys.byCommandLine(delete);
            keys.byCommandLine(EvmImportKey.of("04".repeat(32)));
            keys.byClient(delete);
            String phrase = "abandon ".repeat(11) + "about";
            keys.byClient(EvmImportMnemonic.of(phrase));
            keys.byClient(delete);
            keys.byCommandLine(EvmImportMnemonic.of(phrase));
            both.alsoCalledBy(keys);
        }
    }

    /** Of a daemon that knows of no pool and no account chain. */
    @Test
    @Order(2)
    void swaps_are_refused_as_long_as_they_are_not_configured() {
        Stream.of(
                        SwapGetQuote.of("chain_to_native", "1.5", payer.address()),
                        SwapExecute.of("s1"),
                        SwapRefund.of("s1"),
                        SwapStatus.of("s1"),
                        SwapList.of(),
                        SwapPoolInfo.of(),
                        SwapPriceKlines.of(),
                        LpPoolInfo.of(),
                        LpPosition.of(payer.address()),
                        LpDepositStart.of(payer.address(), EVM_ADDRESS),
                        LpDepositStatus.of("d1"),
                        LpWithdrawSelf.of(payer.address(), "1"),
                        EvmGetBalances.of(),
                        EvmTxHistory.of(),
                        EvmSendNative.of(EVM_ADDRESS, "0.1"))
                .forEach(both::unconfigured);
    }

    @Test
    @Order(3)
    void no_method_was_left_out() {
        assertThat(both.called()).containsExactlyElementsOf(both.all());
    }
}
