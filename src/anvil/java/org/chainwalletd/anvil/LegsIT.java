package org.chainwalletd.anvil;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.chainwalletd.account.AccountSends;
import org.chainwalletd.account.SealedSends;
import org.chainwalletd.account.SendSetup;
import org.chainwalletd.account.SendSetup.SendPace;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.AccountChain.Finality;
import org.chainwalletd.account.endpoints.BlockRef;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.crypto.Ed25519;
import org.chainwalletd.crypto.Keccak256;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.devnet.pool.Anvil;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.keyring.TestSeals;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.swap.gates.GateInputs;
import org.chainwalletd.swap.gates.GateVerdict;
import org.chainwalletd.swap.gates.Sample;
import org.chainwalletd.swap.gates.SwapLimits;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapRow.PoolLock;
import org.chainwalletd.swap.gates.SwapTerms;
import org.chainwalletd.swap.legs.EvmOwnLeg;
import org.chainwalletd.swap.legs.EvmPoolLeg;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Peers;
import org.chainwalletd.testkit.Spawners;
import org.chainwalletd.testkit.TestPools;
import org.chainwalletd.testkit.evm.EvmCaller;
import org.chainwalletd.testkit.evm.PlainEvmKeys;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Both legs of a swap on a real anvil: a lock that is claimed, a lock that is taken back, a lock of the pool that we claim. */
@Tag("long")
class LegsIT {
    private static final byte[] SECRET = Bytes.parse("3d".repeat(32)).toArray();
    private static final Hash256 HASH_LOCK = Hash256.sha256(SECRET);
    private static final BigInteger WEI = BigInteger.TEN.pow(17);
    private static final int FINAL = 6;

    @TempDir
    Path folder;

    private final ExecutorService executor = Executors.newFixedThreadPool(4);
    private final PlainEvmKeys keys = new PlainEvmKeys();
    private final EvmAddress own =
            keys.add(SecretBytes.takeOver(Bytes.parse("17".repeat(32)).toArray()));
    private final PublicKey chainKey = PublicKey.of(Ed25519.publicKey(SECRET));

    private Anvil anvil;
    private EvmCaller evm;
    private String pool;
    private EvmAddress contract;
    private long deadline;
    private ActorTestKit kit;
    private SqliteStore store;
    private AccountChain chain;
    private AccountSends sends;
    private SwapLimits limits;

    @BeforeEach
    void start() throws IOException {
        anvil = RealAnvil.start(Duration.ZERO);
        evm = new EvmCaller(anvil.uri());
        pool = evm.call("eth_accounts").get(1).asText();
        evm.call(
                "anvil_setBalance",
                own.toString(),
                "0x" + WEI.multiply(BigInteger.TEN).toString(16));
        contract = deploy();
        mine(FINAL);
        deadline = time() + 10_000;
        kit = ActorTestKit.create();
        store = SqliteStore.open(folder);
        chain = AccountChain.start(
                Peers.of(kit.system()),
                new AccountChain.Setup(
                        List.of(anvil.uri(), anvil.uri()),
                        2,
                        BigInteger.valueOf(31_337),
                        Finality.FINALIZED,
                        Duration.ofSeconds(30),
                        ByteBudget.ofHeap(AccountChain.HEAP_SHARE),
                        new SimpleMeterRegistry()),
                new AccountChain.Threads(executor, TestPools::of));
        SealedSends journal = Await.result(SealedSends.open(
                store.accountSends(),
                like -> CompletableFuture.completedFuture(TestSeals.ofAccountSends(like)),
                executor));
        sends = Await.result(AccountSends.start(
                new SendSetup(
                        chain,
                        keys,
                        journal,
                        OptionalLong.empty(),
                        SendPace.USUAL,
                        InstantSource.system(),
                        new SendSetup.Threads(TestPools.of("sends"), TestPools.of("redeems"), executor),
                        store::maySend),
                Spawners.background(kit)));
        Bytes code = chain.any().code(contract, BlockRef.Tag.LATEST);
        limits = limits(Hash256.of(Keccak256.of(code.toArray())));
    }

    @AfterEach
    void stop() {
        kit.shutdownTestKit();
        store.close();
        executor.shutdownNow();
        anvil.close();
    }

    private EvmAddress deploy() throws IOException {
        String code;
        try (InputStream in = LegsIT.class.getResourceAsStream("/org/chainwalletd/devnet/pool/HashTimeLock.json")) {
            code = new JsonMapper().readTree(in).get("bytecode").asText();
        }
        JsonNode deployed =
                evm.call("eth_sendTransaction", Map.of("from", pool, "data", "0x" + code, "gas", "0x100000"));
        mine(1);
        return EvmAddress.parse(evm.call("eth_getTransactionReceipt", deployed)
                .get("contractAddress")
                .asText());
    }

    private void mine(int blocks) {
        for (int i = 0; i < blocks; i++) {
            evm.call("evm_mine");
        }
    }

    private long time() {
        return Long.decode(evm.call("eth_getBlockByNumber", "latest", false)
                .get("timestamp")
                .asText());
    }

    private SwapLimits limits(Hash256 codeHash) {
        return Sample.limits(new SwapLimits.Contract(BigInteger.valueOf(31_337), contract, codeHash), true);
    }

    private SwapRow row(Direction direction) {
        boolean sell = direction.isSell();
        BigInteger coins = BigInteger.valueOf(100_000_000);
        SwapTerms terms = new SwapTerms(
                direction,
                HASH_LOCK,
                new SwapTerms.Sum("1", sell ? coins : WEI),
                new SwapTerms.Sum("1", sell ? WEI : coins),
                new SwapTerms.AccountLeg(BigInteger.valueOf(31_337), contract),
                new SwapTerms.Ours(ChainProfile.of("chain").addressOf(chainKey), chainKey, own),
                sell ? SwapTerms.Theirs.onTheChain(chainKey) : SwapTerms.Theirs.inTheContract(EvmAddress.parse(pool)),
                sell ? 1_000 : deadline,
                30,
                new SwapTerms.Offer(time() + 300, 30, Optional.empty()));
        SwapRow quoted = SwapRow.quoted("a-swap", "pool-1", "run", terms, Optional.empty(), time());
        return quoted.with(quoted.acts().lock(), time());
    }

    private void fromPool(BigInteger wei, Bytes data) {
        evm.call(
                "eth_sendTransaction",
                Map.of(
                        "from",
                        pool,
                        "to",
                        contract.toString(),
                        "gas",
                        "0x30d40",
                        "value",
                        "0x" + wei.toString(16),
                        "data",
                        "0x" + data));
        mine(1);
    }

    @Test
    void our_lock_settles_and_the_pools_claim_is_seen_with_its_secret() {
        EvmOwnLeg leg = new EvmOwnLeg(chain, sends, limits, InstantSource.system());
        SwapRow row = row(Direction.NATIVE_TO_CHAIN);
        assertThat(leg.obstacle(row)).isEmpty();
        String tx = leg.sendLock(row, () -> true);
        assertThat(leg.sendLock(row, () -> true)).isEqualTo(tx);
        mine(FINAL);
        assertThat(leg.look(row).lock())
                .isInstanceOfSatisfying(
                        OwnLock.Locked.class,
                        lock -> assertThat(lock.settledAt()).isPresent());

        fromPool(BigInteger.ZERO, SwapContract.claim(SECRET));

        assertThat(leg.look(row).lock())
                .isInstanceOfSatisfying(
                        OwnLock.Claimed.class, lock -> assertThat(lock.tx()).startsWith("0x"));
        assertThat(leg.look(row).secretShown()).isTrue();
    }

    @Test
    void our_lock_comes_back_at_its_deadline_and_not_a_second_before() {
        EvmOwnLeg leg = new EvmOwnLeg(chain, sends, limits, InstantSource.system());
        SwapRow row = row(Direction.NATIVE_TO_CHAIN);
        leg.sendLock(row, () -> true);
        mine(1);
        evm.call("evm_setNextBlockTimestamp", deadline - 1);
        mine(1);
        assertThat(leg.look(row).refundDue()).isFalse();
        evm.call("evm_setNextBlockTimestamp", deadline);
        mine(1);
        assertThat(leg.look(row).refundDue()).isTrue();

        String tx = leg.takeBack(row);
        mine(FINAL);

        assertThat(leg.look(row).lock()).isEqualTo(new OwnLock.TakenBack(HASH_LOCK.hex(), tx, true));
    }

    @Test
    void a_lock_of_the_pool_opens_the_gate_when_it_is_final_and_is_claimed_once() {
        EvmPoolLeg leg = new EvmPoolLeg(chain, sends, limits, Optional.empty());
        SwapRow row = row(Direction.CHAIN_TO_NATIVE);
        assertThat(leg.obstacle(row)).isEmpty();
        GateInputs now = new GateInputs(time(), false, Optional.empty(), OptionalLong.of(time()));
        fromPool(WEI, SwapContract.lock(HASH_LOCK, own, deadline));
        assertThat(leg.gate(row, now).isOpen()).isFalse();
        mine(FINAL);
        assertThat(leg.gate(row, now)).isEqualTo(GateVerdict.OPEN);

        String tx = leg.pushClaim(row, SecretBytes.copyOf(SECRET), () -> true);
        assertThat(leg.pushClaim(row, SecretBytes.copyOf(SECRET), () -> true)).isEqualTo(tx);
        mine(FINAL);

        assertThat(leg.look(row).lock()).isEqualTo(new PoolLock.Claimed(HASH_LOCK.hex(), tx, true));
        assertThat(evm.call("eth_getTransactionCount", own.toString(), "latest").asText())
                .isEqualTo("0x1");
    }
}
