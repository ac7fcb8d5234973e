package org.chainwalletd.swap.legs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.Stream;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.chainwalletd.account.AccountRig;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.AccountException;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.swap.gates.GateInputs;
import org.chainwalletd.swap.gates.GateVerdict;
import org.chainwalletd.swap.gates.Sample;
import org.chainwalletd.swap.gates.SellGate;
import org.chainwalletd.swap.gates.SellGate.EndpointView;
import org.chainwalletd.swap.gates.SwapLimits;
import org.chainwalletd.swap.legs.EvmPoolLeg.ContractEvidence;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.testkit.evm.EvmDevnet;
import org.chainwalletd.testkit.evm.EvmEndpoint;
import org.chainwalletd.testkit.evm.EvmWallet;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The gate of a sell over real sockets: an account chain, honest endpoints, and one that returns false data. */
@Tag("long")
public class ContractEvidenceTest {
    @AutoClose("shutdownTestKit")
    private static ActorTestKit kit;

    @AutoClose
    private EvmDevnet chain;

    private EvmEndpoint honest;
    private EvmEndpoint other;
    private EvmEndpoint liar;
    private EvmWallet pool;
    private long begun;

    @BeforeAll
    static void system() {
        kit = ActorTestKit.create();
    }

    @BeforeEach
    void start() {
        chain = EvmDevnet.start();
        honest = chain.endpoint();
        other = chain.newEndpoint();
        liar = chain.newEndpoint();
        pool = chain.account(1);
        begun = now();
    }

    private long now() {
        return chain.clock().instant().getEpochSecond();
    }

    private AccountChain endpoints(EvmEndpoint... asked) {
        return endpoints(Duration.ofSeconds(10), asked);
    }

    private AccountChain endpoints(Duration patience, EvmEndpoint... asked) {
        URI[] urls = Stream.of(asked).map(EvmEndpoint::uri).toArray(URI[]::new);
        return AccountRig.client(kit, ForkJoinPool.commonPool(), 2, patience, urls);
    }

    private SwapLimits limits() {
        return Sample.limits(
                new SwapLimits.Contract(BigInteger.valueOf(EvmDevnet.CHAIN_ID), chain.contract(), chain.codeHash()),
                false);
    }

    private GateVerdict judge(EvmEndpoint... asked) {
        return judge(endpoints(asked));
    }

    private GateVerdict judge(AccountChain endpoints) {
        List<EndpointView> views = new ContractEvidence(endpoints, chain.contract()).look(Sample.HASH_LOCK, begun);
        GateInputs inputs = new GateInputs(now(), false, Optional.empty(), OptionalLong.of(begun));
        return new SellGate(limits())
                .judge(Sample.terms(Direction.CHAIN_TO_NATIVE), new SellGate.Evidence(views, false, inputs));
    }

    private void lock(long deadline) {
        pool.lock(Sample.HASH_LOCK, Sample.OUR_EVM, deadline, Sample.WEI);
        chain.mine();
    }

    private SwapContract.Swap terms(long deadline) {
        return new SwapContract.Swap(pool.address(), Sample.OUR_EVM, Sample.WEI, deadline, SwapContract.State.LOCKED);
    }

    @Test
    void a_lock_opens_the_gate_when_its_block_is_final_and_not_before() {
        lock(now() + 9_000);
        assertThat(judge(honest, other).isOpen()).isFalse();
        chain.mine();
        assertThat(judge(honest, other).isOpen()).isFalse();
        chain.mine();
        assertThat(judge(honest, other)).isEqualTo(GateVerdict.OPEN);
    }

    @Test
    void one_endpoint_that_invents_a_lock_opens_nothing() {
        chain.mine(3);
        liar.lies().swap(Sample.HASH_LOCK, terms(now() + 9_000));
        assertThat(judge(honest, liar).isOpen()).isFalse();
        assertThat(judge(honest, other, liar).isOpen()).isFalse();
    }

    @Test
    void one_endpoint_that_lies_or_is_down_does_not_close_it_for_two_others() {
        lock(now() + 9_000);
        chain.mine(3);
        liar.lies().swap(Sample.HASH_LOCK, terms(now() + 1));
        assertThat(judge(honest, other, liar).isOpen()).isTrue();
        liar.lies().stop();
        liar.lies().time(-5_000);
        assertThat(judge(honest, other, liar).isOpen()).isTrue();
        liar.down();
        assertThat(judge(honest, other, liar).isOpen()).isTrue();
        other.down();
        assertThat(judgeOrNothing(honest, other, liar)).isFalse();
    }

    /** An observation that took more than a minute opens nothing. */
    @Test
    void one_slow_endpoint_does_not_delay_the_gate_that_two_others_open() {
        lock(now() + 9_000);
        chain.mine(3);
        AccountChain slow = endpoints(Duration.ofMinutes(10), honest, other, liar);
        for (String method : List.of("eth_getLogs", "eth_call", "*")) {
            liar.hang(method);
            assertThat(judge(slow)).isEqualTo(GateVerdict.OPEN);
            liar.behave();
        }
    }

    /** Without a quorum there is not even a final block. */
    private boolean judgeOrNothing(EvmEndpoint... asked) {
        try {
            return judge(asked).isOpen();
        } catch (AccountException e) {
            return false;
        }
    }

    @Test
    void a_lock_that_was_claimed_after_the_final_block_closes_it() {
        lock(now() + 9_000);
        chain.mine(3);
        pool.claim(Sample.SECRET);
        chain.mine();
        assertThat(judge(honest, other).isOpen()).isFalse();
    }

    @Test
    void a_lock_that_a_reorganisation_takes_away_closes_it() {
        chain.finality(1, 1);
        lock(now() + 9_000);
        chain.mine();
        assertThat(judge(honest, other).isOpen()).isTrue();
        chain.reorganiseAway(2, 4);
        assertThat(judge(honest, other).isOpen()).isFalse();
    }

    @Test
    void a_chain_that_stalls_closes_it() {
        lock(now() + 90_000);
        chain.mine(3);
        chain.clock().advance(Duration.ofSeconds(61));
        assertThat(judge(honest, other).isOpen()).isFalse();
        chain.mine();
        assertThat(judge(honest, other).isOpen()).isTrue();
    }

    @Test
    void a_lock_that_came_after_its_window_closes_it() {
        chain.clock().advance(Duration.ofSeconds(SwapLimits.POOL_WINDOW_SECONDS + 1));
        lock(now() + 9_000);
        chain.mine(3);
        GateVerdict verdict = judge(honest, other);
        assertThat(verdict.closed().orElseThrow()).contains("s after ours was settled");
    }

    /** As after a downtime: one event query reaches 1,000 blocks back. */
    private void bury() {
        chain.mine(2_100);
    }

    private static boolean endsBefore(long block, JsonNode params) {
        return Long.decode(params.path(0).path("toBlock").asText()) < block;
    }

    /** Returns no events for queries that end before this block, without an error. */
    private static void forgetEvents(EvmEndpoint endpoint, long before) {
        endpoint.lies()
                .tell((method, params, truth) -> method.equals("eth_getLogs") && endsBefore(before, params)
                        ? JsonNodeFactory.instance.arrayNode()
                        : truth);
    }

    /** Answers no event query that ends before this block. */
    private static void pruneEvents(EvmEndpoint endpoint, long before) {
        endpoint.lies()
                .tell((method, params, truth) -> method.equals("eth_getLogs") && endsBefore(before, params)
                        ? TextNode.valueOf("pruned")
                        : truth);
    }

    @Test
    void a_lock_that_came_in_time_opens_the_gate_however_many_blocks_came_after_it() {
        lock(now() + 90_000);
        bury();
        assertThat(judge(honest, other)).isEqualTo(GateVerdict.OPEN);
    }

    @Test
    void a_lock_that_came_late_closes_it_however_many_blocks_came_after_it() {
        chain.clock().advance(Duration.ofSeconds(SwapLimits.POOL_WINDOW_SECONDS + 1));
        lock(now() + 90_000);
        long late = chain.head().time() - begun;
        bury();
        assertThat(judge(honest, other).closed().orElseThrow()).contains(" " + late + " s after ours was settled");
    }

    @Test
    void one_endpoint_that_hides_old_events_does_not_close_it_for_two_others() {
        lock(now() + 90_000);
        bury();
        forgetEvents(liar, chain.head().number() - 900);
        assertThat(judge(honest, liar, other)).isEqualTo(GateVerdict.OPEN);
        assertThat(judge(honest, liar).isOpen()).isFalse();
    }

    @Test
    void events_that_cannot_be_read_are_no_proof_that_a_lock_came_late() {
        lock(now() + 90_000);
        bury();
        pruneEvents(honest, chain.head().number() - 900);
        pruneEvents(other, chain.head().number() - 900);
        GateVerdict verdict = judge(honest, other);
        assertThat(verdict.isOpen()).isFalse();
        assertThat(verdict.hopeless()).isFalse();
        honest.lies().stop();
        other.lies().stop();
        assertThat(judge(honest, other)).isEqualTo(GateVerdict.OPEN);
    }

    /** A lock before the quote is impossible: its hash lock was not known then. */
    @Test
    void a_lock_without_an_event_since_the_quote_is_too_late_and_is_not_looked_for_without_end() {
        lock(now() + 90_000);
        bury();
        begun = chain.head().time() + 1_000;
        forgetEvents(honest, Long.MAX_VALUE);
        forgetEvents(other, Long.MAX_VALUE);
        GateVerdict verdict = judge(honest, other);
        assertThat(verdict.hopeless()).isTrue();
        assertThat(honest.count("eth_getLogs")).isEqualTo(1);
    }

    @Test
    void the_pinned_contract_is_taken_and_any_other_is_not() {
        chain.mine(3);
        assertThat(objection(chain.codeHash(), honest, other)).isEmpty();
        assertThat(objection(Hash256.ZERO, honest, other)).isPresent();
        liar.lies().code(chain.contract(), Bytes.parse("6001"));
        assertThat(objection(chain.codeHash(), honest, other, liar)).isEmpty();
        EvmEndpoint second = chain.newEndpoint();
        for (EvmEndpoint endpoint : List.of(honest, second)) {
            endpoint.lies()
                    .storage(
                            chain.contract(),
                            ContractCheck.slot("eip1967.proxy.implementation"),
                            Hash256.sha256(new byte[] {1}));
        }
        assertThat(objection(chain.codeHash(), honest, second))
                .hasValueSatisfying(why -> assertThat(why).contains("EIP-1967"));
    }

    @Test
    void a_minimal_proxy_is_known_by_its_form_and_a_slot_by_its_name() {
        assertThat(ContractCheck.isMinimalProxy(
                        Bytes.parse("363d3d373d3d3d363d73" + "ab".repeat(20) + "5af43d82803e903d91602b57fd5bf3")
                                .toArray()))
                .isTrue();
        assertThat(ContractCheck.isMinimalProxy(new byte[45])).isFalse();
        // EIP-1967, "Logic contract address".
        assertThat(ContractCheck.slot("eip1967.proxy.implementation").hex())
                .isEqualTo("360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc");
    }

    private Optional<String> objection(Hash256 codeHash, EvmEndpoint... asked) {
        return new ContractCheck(endpoints(asked), chain.contract(), codeHash).objection();
    }
}
