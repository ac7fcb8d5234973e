package org.chainwalletd.swap.legs;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.chainwalletd.account.AccountRig;
import org.chainwalletd.account.SendRecord.SendState;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.evm.EvmEndpoint;
import org.chainwalletd.testkit.evm.EvmWallet;
import org.junit.jupiter.params.provider.Arguments;

/**
 * Account chain with one endpoint that can return false data. Five transactions of our key are older than the journal, as after an import, and the
 * chain's fee is 20 gwei.
 */
public final class LyingRig implements AutoCloseable {
    public static final int HISTORY = 5;
    private static final BigInteger BASE_FEE = BigInteger.valueOf(20_000_000_000L);

    /** Numbers of queried endpoints and of those that must agree. */
    enum Ring {
        ONE_OF_ONE(1, 1),
        TWO_OF_TWO(2, 2),
        TWO_OF_THREE(2, 3);

        private final int quorum;
        private final int asked;

        Ring(int quorum, int asked) {
            this.quorum = quorum;
            this.asked = asked;
        }
    }

    /** Faults of one endpoint. */
    enum Lie {
        NONCE_LOW,
        NONCE_ONE_MORE,
        NONCE_HIGH,
        BALANCE_NONE,
        BALANCE_HUGE,
        BASE_FEE_LOW,
        BASE_FEE_HIGH,
        TIP_LOW,
        TIP_HIGH,
        HEIGHT_LOW,
        HEIGHT_HIGH,
        SILENT,
        ALL_LOW,
        ALL_HIGH;

        void tell(EvmEndpoint liar, EvmAddress about) {
            switch (this) {
                case NONCE_LOW -> liar.lies().nonce(about, 0);
                case NONCE_ONE_MORE -> liar.lies().nonce(about, HISTORY + 1);
                case NONCE_HIGH -> liar.lies().nonce(about, 50);
                case BALANCE_NONE -> liar.lies().balance(about, BigInteger.ZERO);
                case BALANCE_HUGE -> liar.lies().balance(about, BigInteger.TEN.pow(30));
                case BASE_FEE_LOW -> liar.lies().baseFee(BigInteger.ONE);
                case BASE_FEE_HIGH -> liar.lies().baseFee(BigInteger.TEN.pow(24));
                case TIP_LOW -> liar.lies().tip(BigInteger.ONE);
                case TIP_HIGH -> liar.lies().tip(BigInteger.TEN.pow(24));
                case HEIGHT_LOW -> liar.lies().height(1);
                case HEIGHT_HIGH -> liar.lies().height(1L << 40);
                case SILENT -> liar.hang("*");
                case ALL_LOW ->
                    List.of(NONCE_LOW, BALANCE_NONE, BASE_FEE_LOW, TIP_LOW, HEIGHT_LOW)
                            .forEach(lie -> lie.tell(liar, about));
                case ALL_HIGH ->
                    List.of(NONCE_HIGH, BALANCE_HUGE, BASE_FEE_HIGH, TIP_HIGH, HEIGHT_HIGH)
                            .forEach(lie -> lie.tell(liar, about));
                default -> throw new AssertionError(this);
            }
            if (this != SILENT) {
                liar.swallowSends();
            }
        }
    }

    final EvmLegRig rig;
    final EvmEndpoint liar;
    final EvmEndpoint honest;

    public LyingRig(Path folder, Ring ring) {
        rig = new EvmLegRig(new AccountRig(folder, ring.quorum, ring.asked, Duration.ofSeconds(1)));
        liar = rig.rig.first;
        honest = rig.rig.second;
        for (int i = 0; i < HISTORY; i++) {
            somebodyElsePays();
        }
        rig.chain.baseFee(BASE_FEE);
        rig.settle();
    }

    /** Returns another user of our key. */
    EvmWallet thief() {
        return rig.chain.wallet(
                SecretBytes.takeOver(Bytes.parse("11".repeat(32)).toArray()));
    }

    public void somebodyElsePays() {
        thief().pay(rig.pool.address(), BigInteger.ONE);
        rig.chain.mine();
    }

    SwapRow settledSell() {
        SwapRow row = rig.locking(rig.sell());
        rig.lockOfThePool();
        rig.settle();
        return row;
    }

    /** Returns a buy whose lock is final, and can be refunded once its next blocks are settled. */
    SwapRow overdueBuy() {
        SwapRow row = rig.locking(rig.buy());
        rig.ownLeg().sendLock(row, () -> true);
        Await.until("it is locked", () -> {
            rig.chain.mine();
            return state() == SwapContract.State.LOCKED;
        });
        rig.settle();
        rig.rig.await("swap/a-buy/lock", SendState.Final.class);
        rig.chain.clock().advance(Duration.ofSeconds(10_001));
        return row;
    }

    /** Makes a transaction of ours final. The journal has assigned its nonce, and assigns the next one whatever endpoints report. */
    void sendEarlier() {
        rig.rig.send("earlier", 1);
        rig.settle();
        rig.rig.await("earlier", SendState.Final.class);
    }

    SwapContract.State state() {
        return rig.chain.swap(rig.hashLock).state();
    }

    /** Returns why the secret may not be revealed; "open" when it may. */
    String gate(SwapRow row) {
        return rig.poolLeg().gate(row, rig.inputs()).closed().orElse("open");
    }

    String claim(SwapRow row) {
        return rig.poolLeg().pushClaim(row, rig.held(), () -> true);
    }

    /** Asserts that gas took less than a tenth of the value: one hundredth of an ether. */
    void assertPaid(BigInteger before) {
        BigInteger gas = before.add(EvmLegRig.WEI).subtract(rig.chain.balance(rig.own()));
        assertThat(gas).as("paid for gas").isLessThan(EvmLegRig.WEI.divide(BigInteger.TEN));
    }

    /** Each fault for a daemon with two endpoints, and for one with three. */
    static Stream<Arguments> toTwoAndToThree(Lie... lies) {
        return Stream.of(lies)
                .flatMap(lie -> Stream.of(Arguments.of(Ring.TWO_OF_TWO, lie), Arguments.of(Ring.TWO_OF_THREE, lie)));
    }

    @Override
    public void close() {
        rig.close();
    }
}
