package org.chainwalletd.swap.legs;

import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.chainwalletd.account.AccountRig;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.testkit.evm.EvmEndpoint;
import org.chainwalletd.testkit.evm.EvmWallet;

/**
 * Account chain with one endpoint that can lie. Five transactions of our key are older than the journal, as after an import, and the chain asks
 * 20 gwei.
 */
public final class LyingRig implements AutoCloseable {
    public static final int HISTORY = 5;
    private static final BigInteger BASE_FEE = BigInteger.valueOf(20_000_000_000L);

    /** Endpoints that are asked, and how many of them must agree. */
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

    /** Lies of one endpoint. */
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

    /** Somebody else with our key. */
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

    @Override
    public void close() {
        rig.close();
    }
}
