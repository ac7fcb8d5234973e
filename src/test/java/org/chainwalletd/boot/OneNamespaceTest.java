package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.testkit.DaemonRig.params;
import static org.chainwalletd.testkit.DaemonRig.payment;
import static org.chainwalletd.testkit.DaemonRig.payout;
import static org.chainwalletd.testkit.DaemonRig.payouts;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.htlc.Locks;
import org.chainwalletd.rpc.AllMethods;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.DevnetExtension;
import org.chainwalletd.testkit.Party;
import org.chainwalletd.testkit.evm.EvmDevnet;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Client tokens and payout ids share one namespace: once a method has bound an id, no other method pays under it (payments.md, section 1).
 * Every method of the registry that takes such an id is tested against every other one; a method that is not classified here fails.
 */
@Tag("long")
@Timeout(300)
class OneNamespaceTest {
    /** Methods that only refer to a payment requested earlier. */
    private static final Set<String> NAMING =
            Set.of("get_spend", "get_sweep", "sweep_stop", "payout_get", "payout_cancel", "payout_release");

    private static final List<String> SPENDS = List.of("transfer", "htlc_lock", "htlc_claim", "htlc_reclaim");

    private static final Set<String> IDS = Set.of("clientToken", "payoutId", "payoutIds");
    private static final byte[] PREIMAGE = "a secret of thirty-two bytes, ok".getBytes(StandardCharsets.US_ASCII);
    private static final Hash256 HASH_LOCK = HtlcWitness.hashLockOf(PREIMAGE);
    private static final long FAR = 1_000_000;

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension();

    @AutoClose
    final EvmDevnet account = EvmDevnet.start();

    @TempDir
    Path datadir;

    private final Party sender = new Party(91);
    private final Party receiver = new Party(92);
    private final Party firstSwept = new Party(93);
    private final Party secondSwept = new Party(94);
    private final Party shop = new Party(95);
    private final List<String> locks = new ArrayList<>();
    private long soon;
    private DaemonRig daemon;

    /** Creates the parameters of a paying method; the second set is that of another payment, which would be possible too. */
    @FunctionalInterface
    private interface Payment {
        Map<String, Object> of(String id, boolean second);
    }

    private final Map<String, Payment> payments = new LinkedHashMap<>(Map.of(
            "transfer",
                    (id, second) -> payment(sender.address, shop.address, second ? 1_002 : 1_001, "client_token", id),
            "htlc_lock", (id, second) -> lock(second ? 20_002 : 20_001, FAR, "client_token", id),
            "htlc_claim",
                    (id, second) -> Locks.claim(
                            receiver,
                            sender.key,
                            locks.get(second ? 1 : 0),
                            Bytes.of(PREIMAGE),
                            FAR,
                            "client_token",
                            id),
            "htlc_reclaim",
                    (id, second) -> Locks.reclaim(
                            sender, receiver.key, locks.get(second ? 3 : 2), HASH_LOCK, soon, "client_token", id),
            "sweep",
                    (id, second) -> {
                        Party swept = second ? secondSwept : firstSwept;
                        Object from = params("addresses", List.of(swept.address.toString()));
                        return params("from", from, "to", shop.address, "client_token", id);
                    },
            "evm_send_native",
                    (id, second) -> {
                        String to = account.account(3).address().toString();
                        return params("to", to, "amount", second ? "0.02" : "0.01", "client_token", id);
                    },
            "payout_submit", (id, second) -> payouts(sender, List.of(payout(id, shop, second ? 1_004 : 1_003)))));

    private Map<String, Object> lock(long amount, long timeout, Object... more) {
        return Locks.lock(sender, receiver.key, HASH_LOCK, timeout, amount, more);
    }

    private static boolean takesAnId(Type type) {
        if (type instanceof ParameterizedType generic) {
            return Arrays.stream(generic.getActualTypeArguments()).anyMatch(OneNamespaceTest::takesAnId);
        }
        return type instanceof Class<?> record
                && record.isRecord()
                && Arrays.stream(record.getRecordComponents()).anyMatch(OneNamespaceTest::isAnId);
    }

    private static boolean isAnId(RecordComponent component) {
        return IDS.contains(component.getName()) || takesAnId(component.getGenericType());
    }

    @Test
    void every_method_that_takes_an_id_is_tried_here_or_only_names_a_payment() {
        Set<String> classified = new TreeSet<>(NAMING);
        classified.addAll(payments.keySet());
        assertThat(AllMethods.registry().methods().stream()
                        .filter(method -> takesAnId(method.params()))
                        .map(RpcMethod::name))
                .containsExactlyInAnyOrderElementsOf(classified);
    }

    private void start() {
        daemon = DaemonRig.over(
                chain.node(),
                datadir,
                "--payout-delay",
                "0",
                "--evm-rpc",
                account.uri() + "," + account.newEndpoint().uri(),
                "--evm-chain-id",
                "31337");
    }

    private void prepare() {
        for (int number = 91; number <= 94; number++) {
            daemon.imported(number);
        }
        daemon.fund(sender, 1_000_000, 1_000_000, 1_000_000, 1_000_000, 1_000_000, 1_000_000);
        daemon.fund(firstSwept, 50_000, 50_000);
        daemon.fund(secondSwept, 50_000, 50_000);
        soon = daemon.devnet().tip().height() + 8;
        for (long timeout : new long[] {FAR, FAR, soon, soon}) {
            locks.add(
                    daemon.call("htlc_lock", lock(20_000, timeout)).get("tx_id").asText());
            daemon.mine(1);
        }
        daemon.mine(12);
        daemon.awaitFollowed();
        String own = daemon.call("evm_create_address").get("address").asText();
        account.fund(EvmAddress.parse(own), BigInteger.TEN.pow(18));
        daemon.call("payout_pause");
    }

    private static String idOf(String method) {
        return "bound-by-" + method;
    }

    private List<String> spends() {
        List<String> all = new ArrayList<>();
        daemon.call("list_spends", "limit", 1_000)
                .get("spends")
                .forEach(spend -> all.add(spend.get("spend_id") + " " + spend.get("tx_id")));
        return all;
    }

    private List<String> accountSends() {
        List<String> all = new ArrayList<>();
        daemon.call("evm_tx_history")
                .get("txs")
                .forEach(tx -> all.add(tx.get("hash").asText()));
        return all;
    }

    /** Returns all payments that have been decided. */
    private List<String> decided() {
        List<String> all = new ArrayList<>(spends());
        all.addAll(accountSends());
        daemon.call("payout_list")
                .get("payouts")
                .forEach(payout -> all.add(payout.get("payout_id") + " " + payout.get("amount")));
        return all;
    }

    @Test
    void an_id_that_any_method_has_bound_pays_by_no_other_one_also_after_a_restart() {
        start();
        try {
            prepare();
            Map<String, JsonNode> paid = new HashMap<>();
            payments.keySet().forEach(method -> paid.put(method, paid(method, idOf(method))));
            daemon.mine(1);
            daemon.awaitFollowed();
            for (int life = 1; life <= 2; life++) {
                List<String> before = decided();
                for (String binder : payments.keySet()) {
                    for (String other : payments.keySet()) {
                        WalletdException.RpcError refused =
                                daemon.refused(other, payments.get(other).of(idOf(binder), true));
                        assertRefused(refused, binder, other, idOf(binder), paid.get(binder));
                    }
                }
                assertThat(decided()).as("life " + life).isEqualTo(before);
                daemon.close();
                start();
                daemon.awaitFollowed();
            }
        } finally {
            daemon.close();
        }
    }

    /** Pays as soon as possible: after the last payment the change of an earlier one may still be missing. */
    private JsonNode paid(String method, String id) {
        List<JsonNode> answer = new ArrayList<>();
        Await.until(method + " pays", () -> {
            try {
                answer.add(daemon.call(method, payments.get(method).of(id, false)));
                return true;
            } catch (WalletdException.RpcError notYet) {
                assertMayTryAgain(method, notYet);
                return false;
            }
        });
        return answer.get(0);
    }

    private static void assertMayTryAgain(String method, WalletdException.RpcError notYet) {
        assertThat(List.of(-32042, -32039, -32020))
                .as(method + ": " + notYet.getMessage())
                .contains(notYet.code());
    }

    @Test
    void an_id_that_another_method_binds_between_the_lookup_and_the_commit_pays_once() {
        start();
        try {
            prepare();
            for (String spend : SPENDS) {
                assertOvertaken(CrashPoint.SPEND_BEFORE_INTENT, spend, "evm_send_native");
            }
            for (String other : payments.keySet()) {
                if (!other.equals("evm_send_native")) {
                    assertOvertaken(CrashPoint.ACCOUNT_BEFORE_ROW, "evm_send_native", other);
                }
            }
        } finally {
            CrashPoint.watch(null);
            daemon.close();
        }
    }

    /** @param between crash point at which the slower method has found the id unused and has written nothing */
    private void assertOvertaken(CrashPoint between, String slower, String faster) {
        String id = slower + "-overtaken-by-" + faster;
        AtomicReference<JsonNode> paid = new AtomicReference<>();
        AtomicBoolean reached = new AtomicBoolean();
        CrashPoint.watch(point -> {
            if (point == between && reached.compareAndSet(false, true)) {
                paid.set(paid(faster, id));
            }
        });
        List<String> before = slower.equals("evm_send_native") ? accountSends() : spends();
        List<WalletdException.RpcError> refusals = new ArrayList<>();
        Await.until(slower + " is overtaken", () -> {
            WalletdException.RpcError refused =
                    daemon.refused(slower, payments.get(slower).of(id, true));
            if (!reached.get()) {
                assertMayTryAgain(slower, refused);
                return false;
            }
            return refusals.add(refused);
        });
        CrashPoint.watch(null);
        assertRefused(refusals.get(0), faster, slower, id, paid.get());
        assertThat(slower.equals("evm_send_native") ? accountSends() : spends()).isEqualTo(before);
    }

    private static void assertRefused(
            WalletdException.RpcError refused, String binder, String other, String id, JsonNode paid) {
        String what = other + " under the id of " + binder;
        assertThat(refused.code()).as(what + ": " + refused.getMessage()).isEqualTo(-32035);
        boolean payout = other.equals("payout_submit");
        assertThat(refused.data(payout ? "payout_id" : "client_token"))
                .as(what)
                .hasValueSatisfying(name -> assertThat(name.asText()).isEqualTo(id));
        if (payout) {
            assertThat(refused.data("index"))
                    .as(what)
                    .hasValueSatisfying(index -> assertThat(index.asInt()).isZero());
            assertThat(refused.data("tx_id").map(JsonNode::asText))
                    .as(what)
                    .isEqualTo(
                            SPENDS.contains(binder)
                                    ? Optional.of(paid.get("tx_id").asText())
                                    : Optional.empty());
        }
    }
}
