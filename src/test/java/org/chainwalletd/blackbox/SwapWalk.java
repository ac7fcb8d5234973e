package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.devnet.ledger.ConnectedBlock;
import org.chainwalletd.devnet.ledger.Ledger;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.testkit.TwoChains;
import org.chainwalletd.testkit.evm.EvmReceipt;

/**
 * Sequence of deaths of a daemon that trades in one direction, and the assertions after the last one. Swaps left open by earlier deaths continue
 * concurrently. By default swaps die once just before and once just after the moment from which the secret may be known; with
 * {@code -Dwalletd.crash-points=all} swaps die at every step.
 */
final class SwapWalk {
    static final boolean EVERYWHERE =
            System.getProperty("walletd.crash-points", "").equals("all");

    /** Rounds until the pool's last action is in a block. */
    private static final int ROUNDS_OF_THE_POOL = 3;

    private final List<SwapTrader.Death> deaths = new ArrayList<>();
    private final String direction;
    private boolean poolLocks;

    private SwapWalk(String direction) {
        this.direction = direction;
    }

    static SwapWalk ofSells() {
        return new SwapWalk("CHAIN_TO_NATIVE");
    }

    static SwapWalk ofBuys() {
        return new SwapWalk("NATIVE_TO_CHAIN");
    }

    /** Returns the name of a crash point at a status or step of a swap. */
    private String at(String point, String where) {
        return where.isEmpty() ? point : point + "@" + direction + ":" + where;
    }

    /** Adds a death with a new swap. */
    SwapWalk fresh(String point, String where) {
        deaths.add(new SwapTrader.Death(at(point, where), true, poolLocks));
        return this;
    }

    SwapWalk fresh(String point) {
        return fresh(point, "");
    }

    /** Adds a death with a swap that an earlier death has left. */
    SwapWalk next(String point, String where) {
        deaths.add(new SwapTrader.Death(at(point, where), false, poolLocks));
        return this;
    }

    /** Lets the pool lock from here on; before, it waits. */
    SwapWalk thePoolLocks() {
        poolLocks = true;
        return this;
    }

    /**
     * Runs the deaths; asserts that in the end the sums on both chains are right, each swap that may have locked has locked once and is completed,
     * and no other has.
     */
    void walk(SwapGround ground, Path datadir, boolean sells) {
        SwapTrader trader = new SwapTrader(ground, datadir, sells);
        SwapAudit audit = new SwapAudit(ground.chains(), trader);
        trader.beginAndDie(deaths.get(0), audit::begin);
        deaths.subList(1, deaths.size()).forEach(trader::die);
        List<JsonNode> swaps = trader.settle();
        ground.rounds(ROUNDS_OF_THE_POOL);
        if (sells) {
            swaps.forEach(swap -> assertThat(swap.path("chain_timeout_height").asLong())
                    .as("the walk itself lets no lock end: " + swap)
                    .isGreaterThan(ground.height()));
        }
        assertThat(swaps)
                .as("the pool is honest, and only a quote that its own life did not execute comes to nothing")
                .extracting(swap -> swap.path("status").asText())
                .isSubsetOf("completed", "expired")
                .contains("completed");
        for (JsonNode swap : swaps) {
            boolean isCompleted = swap.path("status").asText().equals("completed");
            assertThat(audit.locks(swap)).as("locks of " + swap).isEqualTo(isCompleted ? 1 : 0);
            if (trader.executed().contains(swap.path("swap_id").asText())) {
                assertThat(isCompleted).as("answered: " + swap).isTrue();
            }
        }
        audit.moneyAddsUp();
        audit.hasWhatItTraded(swaps);
    }

    /** Audit of finished trades from the data of both chains alone: sums of money are right, and each swap has locked once. */
    private static final class SwapAudit {
        private static final int MOST_COINS = 1_000;
        /** Length of selector and hash lock. */
        private static final int LOCK_HEAD = 36;

        private final TwoChains chains;
        private final SwapTrader trader;
        private long from;
        private BigInteger coinsBefore = BigInteger.ZERO;

        SwapAudit(TwoChains chains, SwapTrader trader) {
            this.chains = chains;
            this.trader = trader;
        }

        /** Records the balances after all funding: from here on coins only change owners, and some become fees. */
        void begin() {
            this.from = chains.chain().tip().height() + 1;
            this.coinsBefore = coinsOfBoth();
        }

        private Ledger ledger() {
            return chains.chain().ledger();
        }

        private BigInteger coins(Address address) {
            return ledger().list(Bytes.wrap(address.toArray()), null, null, MOST_COINS).coins().stream()
                    .map(coin -> coin.output().value().toBigInteger())
                    .reduce(BigInteger.ZERO, BigInteger::add);
        }

        private BigInteger coinsOfBoth() {
            return coins(Address.parse(trader.address()))
                    .add(coins(chains.pool().chainAddress()));
        }

        private List<ConnectedBlock> blocks() {
            return LongStream.rangeClosed(from, chains.chain().tip().height())
                    .mapToObj(height -> ledger().blockAt(height).orElseThrow())
                    .toList();
        }

        /** Returns the transactions except the first one, which pays the miner. */
        private static List<Transaction> transactions(ConnectedBlock block) {
            List<Transaction> all = block.block().transactions();
            return all.subList(1, all.size());
        }

        private BigInteger fees() {
            BigInteger fees = BigInteger.ZERO;
            for (ConnectedBlock block : blocks()) {
                for (var coin : block.spent()) {
                    fees = fees.add(coin.output().value().toBigInteger());
                }
                for (Transaction tx : transactions(block)) {
                    for (TxOutput output : tx.outputs()) {
                        fees = fees.subtract(output.value().toBigInteger());
                    }
                }
            }
            return fees;
        }

        /** Asserts that no money was created or lost: the sum of the losses of trader and pool equals the fees, and no lock holds anything. */
        void moneyAddsUp() {
            assertThat(coinsOfBoth()).as("coins of both").isEqualTo(coinsBefore.subtract(fees()));
            assertThat(chains.evm().balance(chains.evm().contract()))
                    .as("in the contract")
                    .isZero();
        }

        /**
         * Asserts that the trader has its initial amount plus the results of its swaps, less fees; exact to the wei where the fees are known to be
         * its own.
         */
        void hasWhatItTraded(List<JsonNode> swaps) {
            BigInteger coins = BigInteger.valueOf(SwapTrader.COINS * SwapTrader.COIN);
            BigInteger wei = SwapTrader.WEI;
            for (JsonNode swap : swaps) {
                if (swap.path("status").asText().equals("completed")) {
                    BigInteger in = new BigInteger(swap.path("amount_in_units").asText());
                    BigInteger out =
                            new BigInteger(swap.path("amount_out_units").asText());
                    coins = trader.sells() ? coins.subtract(in) : coins.add(out);
                    wei = trader.sells() ? wei.add(out) : wei.subtract(in);
                }
            }
            EvmAddress account = EvmAddress.parse(trader.account());
            assertThat(chains.evm().balance(account)).as("wei, by " + swaps).isEqualTo(wei.subtract(gas(account)));
            assertThat(coins(Address.parse(trader.address())))
                    .as("coins")
                    .isBetween(coins.subtract(fees()), coins.subtract(BigInteger.ONE));
        }

        private List<EvmReceipt> sentBy(EvmAddress account) {
            List<EvmReceipt> sent = new ArrayList<>();
            for (long number = 0; number <= chains.evm().head().number(); number++) {
                chains.evm().block(number).orElseThrow().receipts().stream()
                        .filter(receipt -> receipt.tx().from().equals(account))
                        .forEach(sent::add);
            }
            return sent;
        }

        private BigInteger gas(EvmAddress account) {
            return sentBy(account).stream()
                    .map(receipt -> receipt.gasPrice().multiply(BigInteger.valueOf(receipt.gasUsed())))
                    .reduce(BigInteger.ZERO, BigInteger::add);
        }

        /** Returns the number of the trader's mined locks with the hash lock of a swap, on the chain in a sell and in the contract in a buy. */
        long locks(JsonNode swap) {
            Hash256 hashLock = Hash256.parse(swap.path("hashlock").asText());
            return trader.sells()
                    ? coinLocks(hashLock, PublicKey.parse(trader.publicKey()))
                    : contractLocks(hashLock, EvmAddress.parse(trader.account()));
        }

        private long coinLocks(Hash256 hashLock, PublicKey sender) {
            return blocks().stream()
                    .flatMap(block -> transactions(block).stream())
                    .flatMap(tx -> tx.outputs().stream())
                    .flatMap(output -> HtlcScript.recognise(output.script()).stream())
                    .filter(params -> params.hashLock().equals(hashLock)
                            && params.sender().equals(sender))
                    .count();
        }

        /** Counts the locks that the contract has refused too. */
        private long contractLocks(Hash256 hashLock, EvmAddress sender) {
            byte[] head = SwapContract.lock(hashLock, sender, 0).slice(0, LOCK_HEAD);
            return sentBy(sender).stream()
                    .map(receipt -> receipt.tx().data())
                    .filter(data -> data.length() >= LOCK_HEAD && Arrays.equals(data.slice(0, LOCK_HEAD), head))
                    .count();
        }
    }
}
