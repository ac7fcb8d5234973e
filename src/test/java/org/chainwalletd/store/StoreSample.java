package org.chainwalletd.store;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.store.ReceiptStore.Bound;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Copies;

/** Sample store with a spend in every state, and its text form; the samples under {@code frozen} were made with it. */
public final class StoreSample {
    public static final long BEGUN = 1_800_000_000_000L;

    private static final ChainProfile PROFILE = ChainProfile.of("chain");
    private static final Address PAYER = Address.parse("a1".repeat(32));

    /** States that existed in the first version. */
    private static final List<IntentState> STATES = Arrays.stream(IntentState.values())
            .filter(state -> state != IntentState.CONTESTED)
            .toList();

    private StoreSample() {}

    /** Creates one spend per state, in order; the {@code n}-th has the coins {@code 2n} and {@code 2n + 1}. */
    static List<Intent> intents() {
        List<Intent> intents = new ArrayList<>();
        for (IntentState state : STATES) {
            intents.add(intent(intents.size(), state));
        }
        return intents;
    }

    private static Intent intent(int n, IntentState state) {
        List<Coin> coins = List.of(coin(2 * n), coin(2 * n + 1));
        TxOutput paid = TxOutput.toAddress(Address.parse("b2".repeat(32)), Amount.of(5_000 + n));
        TxOutput change = TxOutput.toAddress(PAYER, Amount.ofUnsigned(-70_000));
        Transaction tx = Transaction.unsigned(
                        coins.stream().map(Coin::outpoint).toList(), n % 2 == 0 ? List.of(paid, change) : List.of(paid))
                .withWitnesses(List.of(witness(), witness()));
        Optional<TokenBinding> token = n == 1
                ? Optional.empty()
                : Optional.of(new TokenBinding(
                        "token-" + (n == 6 ? "BURIED" : state), Hash256.sha256(new byte[] {(byte) n})));
        return new Intent(
                TransactionCodec.txId(PROFILE, tx),
                n == 1 ? "htlc_lock" : "transfer",
                PAYER,
                Bytes.wrap(TransactionCodec.encode(tx)),
                coins,
                n == 0 ? -2 : 100 + n,
                n % 2 == 0 ? OptionalInt.of(1) : OptionalInt.empty(),
                token,
                n == 2 ? Amount.ofUnsigned(-3) : Amount.of(5_000 + n),
                BEGUN + n,
                Intent.Progress.prepared(BEGUN + n),
                n % 3 == 0
                        ? new Intent.Details(
                                Optional.of("worker-" + n),
                                Optional.of("invoice \u00fc " + n),
                                Optional.of(Amount.of(n)))
                        : Intent.Details.NONE);
    }

    private static Witness witness() {
        return Witness.plain(
                PublicKey.of(Bytes.parse("c3".repeat(32)).toArray()),
                Bytes.parse("d4".repeat(64)).toArray());
    }

    static Coin coin(int n) {
        Hash256 made = Hash256.sha256(new byte[] {1, (byte) n});
        return new Coin(new Outpoint(made, 0xffff_ffffL - n), n == 0 ? Amount.MAX : Amount.of(10_000 + n));
    }

    /** Spends with expired tokens: one erased, one shortened, one complete. */
    private static void writeExpired(Store store) {
        for (int age = 0; age < 3; age++) {
            Intent expired = ofToken("token-expired-" + age, intent(3 * (STATES.size() + age), IntentState.CONFIRMED));
            long at = BEGUN + 10 + age;
            done(store.intents().open(expired, 0));
            done(store.intents().confirm(expired.txId(), IntentState.PREPARED, new BlockPlace(104, Hash256.ZERO), at));
            done(store.intents().bury(List.of(expired.txId())));
            done(store.intents().forget(at + 1, 10, spend -> Optional.of(Bytes.parse("0102"))));
            if (age == 0) {
                done(store.history().erase(at + 1, 10));
            } else if (age == 1) {
                done(store.history()
                        .shorten(
                                at + 1,
                                10,
                                spend -> new SpendHistory.Amounts(
                                        Optional.of(Amount.ofUnsigned(-5)),
                                        spend.details().fee())));
            }
        }
        long told =
                done(store.history().ofToken("token-expired-2")).orElseThrow().number();
        done(store.history().setMemo(told, Optional.of("said later")));
    }

    /** Returns the data added by version 15: the history of all spends, with permanent numbers. */
    public static String told(Store store) {
        StringBuilder lines = new StringBuilder();
        done(store.history().after(0, 100))
                .forEach(spend -> lines.append(words(spend)).append('\n'));
        for (int age = 0; age < 3; age++) {
            lines.append("ever bound ")
                    .append(done(store.history().everBound("token-expired-" + age)))
                    .append('\n');
        }
        return lines.toString();
    }

    /** Formats everything of a spend except the id of a sweep, which is random. */
    static String words(SpendHistory.PastSpend spend) {
        SpendHistory.Told told = spend.told();
        return String.join(
                " ",
                List.of(
                        Long.toString(spend.number()),
                        spend.txId().hex(),
                        spend.kind(),
                        spend.state().name(),
                        spend.from().toString(),
                        spend.clientToken().toString().replaceAll("sweep-[0-9a-f]{64}", "sweep-ID"),
                        spend.createdAt().toString(),
                        Long.toString(spend.changedAt()),
                        spend.blockHeight().toString(),
                        spend.details().tokenName().toString(),
                        spend.details().memo().toString(),
                        spend.details().fee().toString(),
                        told instanceof SpendHistory.Told.Answer answer
                                ? answer.answer().hex()
                                : told instanceof SpendHistory.Told.Sums sums
                                        ? sums.amounts().toString()
                                        : "whole"));
    }

    /** Writes the sample as the daemon would. */
    public static void write(Store store) {
        writeExpired(store);
        for (Intent intent : intents()) {
            done(store.intents().open(intent, 0));
        }
        done(store.intents().open(buried(), 0));
        done(store.intents()
                .confirm(buried().txId(), IntentState.PREPARED, new BlockPlace(106, Hash256.ZERO), BEGUN + 100));
        done(store.intents().bury(List.of(buried().txId())));
        Intent kept = kept();
        done(store.intents().open(kept, 0));
        done(store.intents().confirm(kept.txId(), IntentState.PREPARED, new BlockPlace(105, Hash256.ZERO), BEGUN + 90));
        done(store.intents().bury(List.of(kept.txId())));
        done(store.receipts().keep(Map.of(kept.txId(), Bytes.parse("01020304"))));
        done(store.intents().open(contested(), 0));
        done(store.intents().contest(contested().txId(), "a node had it", BEGUN + 100));
        for (IntentState state : STATES) {
            Intent intent = intents().get(state.ordinal());
            if (state == IntentState.ABANDONED) {
                done(store.intents().abandon(intent.txId(), "abandoned by the operator", BEGUN + 100));
                done(store.reservations()
                        .abandon(Map.of(
                                intent.txId(), Set.of(intent.inputs().get(0).outpoint()))));
            } else if (state == IntentState.CONFIRMED) {
                done(store.intents()
                        .confirm(intent.txId(), IntentState.PREPARED, new BlockPlace(107, Hash256.ZERO), BEGUN + 100));
            } else if (state == IntentState.ACCEPTED) {
                done(store.intents().accept(intent.txId(), Set.of(IntentState.PREPARED), BEGUN + 100));
            } else if (state != IntentState.PREPARED) {
                done(store.intents().fail(intent.txId(), IntentState.PREPARED, state, reason(state), BEGUN + 100));
            }
        }
    }

    private static String reason(IntentState state) {
        return state.inFlight() || state.succeeded() ? "" : "node error -32602: " + state + " \u00fc";
    }

    /** Returns all readable data, one line each. */
    public static String read(Store store) {
        List<String> lines = new ArrayList<>();
        for (Intent intent : intents()) {
            lines.add("intent " + done(store.intents().find(intent.txId())).map(StoreSample::words));
            intent.token()
                    .ifPresent(token -> lines.add("token " + token.token() + " is "
                            + done(store.receipts().find(token.token(), 0)).map(Intent::txId)));
        }
        done(store.intents().inFlight()).forEach(intent -> lines.add("in flight " + intent.txId()));
        done(store.reservations().all()).stream()
                .map(held -> "reserved " + held.coin() + " by " + held.txId() + " since "
                        + done(store.intents().find(held.txId())).orElseThrow().createdAt())
                .sorted()
                .forEach(lines::add);
        return lines.stream().map(line -> line + "\n").collect(Collectors.joining());
    }

    /** Returns the sum that counts against the allowance: version 3 keeps only one line per minute. */
    public static BigInteger used(Store store) {
        return done(store.allowance().spentSince(0)).stream()
                .map(AllowanceStore.Minute::amount)
                .reduce(BigInteger.ZERO, BigInteger::add);
    }

    /** Returns the data added by version 2: blocks of confirmed spends, and whether they are buried. */
    public static String burials(Store store) {
        String unburied = done(store.intents().unburied()).stream()
                .map(spend -> "unburied ConfirmedSpend[txId=" + spend.txId() + ", inputs="
                        + done(store.intents().find(spend.txId())).orElseThrow().inputs() + ", place=" + spend.place()
                        + "]\n")
                .collect(Collectors.joining());
        return unburied + "buried "
                + done(store.intents().find(buried().txId())).map(StoreSample::words) + "\n";
    }

    /** Returns the data added by version 6: contested spends. */
    public static String contested(Store store) {
        return done(store.intents().find(contested().txId()))
                .map(intent -> "contested " + words(intent) + "\n")
                .orElse("");
    }

    /** Returns the data added by version 11: buried payments of which only the answer for their token is kept. */
    public static String kept(Store store) {
        String token = kept().token().orElseThrow().token();
        return done(store.receipts().bound(token, BEGUN + 90))
                .map(bound -> "kept " + token + " " + text(bound) + "\n")
                .orElse("");
    }

    /** Format used by the samples of all versions. */
    private static String text(Bound bound) {
        if (bound instanceof Bound.ToReceipt kept) {
            return "ToReceipt[receipt=KeptReceipt[txId=" + kept.txId() + ", digest=" + kept.digest() + ", answer="
                    + kept.answer() + "]]";
        }
        String spend = ((Bound.ToSpend) bound).spend().toString();
        return "ToSpend[spend=" + spend.substring(0, spend.indexOf(", details=")) + "]]";
    }

    private static Intent kept() {
        return ofToken("token-kept", intent(STATES.size() + 2, IntentState.CONFIRMED));
    }

    private static Intent ofToken(String token, Intent intent) {
        return Copies.with(intent, "token", intent.token().map(binding -> new TokenBinding(token, binding.digest())));
    }

    private static Intent contested() {
        return intent(STATES.size() + 1, IntentState.CONTESTED);
    }

    private static Intent buried() {
        return intent(STATES.size(), IntentState.CONFIRMED);
    }

    private static String words(Intent intent) {
        return String.join(
                " ",
                List.of(
                        intent.txId().hex(),
                        intent.kind(),
                        intent.from().hex(),
                        intent.transaction().hex(),
                        intent.inputs().toString(),
                        Long.toString(intent.builtAtHeight()),
                        intent.changeIndex().toString(),
                        intent.token().toString(),
                        intent.allowance().toString(),
                        Long.toString(intent.createdAt()),
                        Long.toString(intent.changedAt()),
                        intent.state().name(),
                        intent.reason()));
    }

    public static <T> T done(CompletionStage<T> stage) {
        return Await.result(stage);
    }

    /** Returns transaction {@code id}, signed elsewhere. */
    public static RawSendStore.RawSend raw(int id) {
        return new RawSendStore.RawSend(hash(id), Optional.of(PAYER), Bytes.parse("02aa0" + id), "worker");
    }

    /** Returns a spend identified by its number; its transaction bytes are never decoded. */
    public static Intent intent(int id, Optional<String> token, int... coins) {
        return intent(id, token, Bytes.parse("0102"), coins);
    }

    public static Intent intent(int id, String token, int... coins) {
        return intent(id, Optional.of(token), coins);
    }

    public static Intent intent(int id, Optional<String> token, Bytes transaction, int... coins) {
        List<Coin> inputs = new ArrayList<>();
        for (int coin : coins) {
            inputs.add(new Coin(outpoint(coin), Amount.MAX));
        }
        return new Intent(
                hash(id),
                "transfer",
                Address.parse("ab".repeat(32)),
                transaction,
                inputs,
                -2,
                id % 2 == 0 ? OptionalInt.empty() : OptionalInt.of(3),
                token.map(word -> new TokenBinding(word, hash(77))),
                Amount.ofUnsigned(-3),
                40,
                Intent.Progress.prepared(40));
    }

    /** Returns a spend whose bytes are a transaction with these inputs and outputs. */
    public static Intent signed(
            String kind,
            Address from,
            List<Coin> inputs,
            List<TxOutput> outputs,
            OptionalInt change,
            Function<Hash256, Optional<TokenBinding>> token,
            long at) {
        Transaction tx = Transaction.unsigned(
                        inputs.stream().map(Coin::outpoint).toList(), outputs)
                .withWitnesses(inputs.stream().map(input -> witness()).toList());
        Hash256 txId = TransactionCodec.txId(PROFILE, tx);
        return new Intent(
                txId,
                kind,
                from,
                Bytes.wrap(TransactionCodec.encode(tx)),
                inputs,
                100,
                change,
                token.apply(txId),
                Amount.of(1),
                at,
                Intent.Progress.prepared(at));
    }

    static Intent madeAt(long at, Intent intent) {
        return Copies.with(
                intent, "createdAt", at, "progress", new Intent.Progress(intent.state(), intent.reason(), at));
    }

    public static Intent ofKind(String kind, Intent intent) {
        return Copies.with(intent, "kind", kind);
    }

    public static Outpoint outpoint(int n) {
        return new Outpoint(hash(1_000_000 + n), 0xffff_ffffL - n);
    }

    public static Hash256 hash(int n) {
        return Hash256.sha256(new byte[] {(byte) (n >> 24), (byte) (n >> 16), (byte) (n >> 8), (byte) n});
    }
}
