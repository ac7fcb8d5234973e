package org.chainwalletd.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.RecordComponent;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.testkit.Copies;

/** Sample with an account-chain transaction in every state, and its text form; the samples under {@code frozen} were made with it. */
public final class AccountSendSample {
    public static final BigInteger CHAIN = BigInteger.valueOf(31_337);
    static final Bytes FROM = Bytes.parse("f0".repeat(20));

    private static final BigInteger LARGEST = BigInteger.ONE.shiftLeft(256).subtract(BigInteger.ONE);

    private AccountSendSample() {}

    public static AccountSend send(int n, AccountSend.State state) {
        boolean first = n == 0;
        return new AccountSend(
                AccountSend.NEW,
                new AccountSend.Order(
                        "ref-" + n,
                        StoreSample.hash(900 + n),
                        first ? "LOCK" : "SEND",
                        first ? Optional.of(BigInteger.TEN.pow(18)) : Optional.empty(),
                        first ? "BY_OWNER" : "BY_ITSELF",
                        first ? Optional.of("swap-0") : Optional.empty()),
                new AccountSend.Call(
                        CHAIN,
                        FROM,
                        Bytes.parse("0a".repeat(20)),
                        first ? LARGEST : BigInteger.valueOf(n - 1),
                        first ? Bytes.parse("bd66528a") : Bytes.EMPTY,
                        n,
                        21_000 + n),
                first ? List.of(version(0, 0), version(1, 1)) : List.of(version(10 + n, 0)),
                new AccountSend.Progress(state, Optional.empty(), StoreSample.BEGUN + n, StoreSample.BEGUN + n));
    }

    public static AccountSend renamed(AccountSend send, String reference) {
        return ordered(send, "reference", reference);
    }

    static AccountSend owned(AccountSend send, String owner) {
        return ordered(send, "owner", Optional.of(owner));
    }

    private static AccountSend ordered(AccountSend send, String member, Object value) {
        return Copies.with(send, "order", Copies.with(send.order(), member, value));
    }

    static AccountSend copy(AccountSend send, long nonce) {
        return new AccountSend(
                AccountSend.NEW,
                send.order().copy(send.reference() + "@" + nonce),
                send.call().at(nonce),
                send.versions(),
                send.progress());
    }

    public static AccountSend.Version version(int n, int raise) {
        return new AccountSend.Version(
                Hash256.sha256(new byte[] {2, (byte) n}),
                Bytes.parse("02f8" + String.format("%02x", n)),
                BigInteger.valueOf(raise),
                LARGEST.shiftRight(raise),
                raise == 3,
                StoreSample.BEGUN + n);
    }

    /** Writes one transaction per state as the daemon would. */
    public static void write(Store store) {
        for (AccountSend.State state : AccountSend.State.values()) {
            int n = state.ordinal();
            StoreSample.done(store.accountSends().open(List.of(send(n, AccountSend.State.JOURNALLED))));
            if (state != AccountSend.State.JOURNALLED) {
                StoreSample.done(store.accountSends()
                        .enter(n + 1, AccountSend.State.JOURNALLED, state, outcome(state), StoreSample.BEGUN + 50));
            }
        }
        StoreSample.done(store.accountSends().addVersion(2, 1, version(3, 3)));
    }

    private static Optional<AccountSend.Outcome> outcome(AccountSend.State state) {
        return state == AccountSend.State.SENT || state == AccountSend.State.LOST
                ? Optional.empty()
                : Optional.of(new AccountSend.Outcome(
                        StoreSample.hash(1), 7, StoreSample.hash(2), state != AccountSend.State.REVERTED));
    }

    /** Returns all readable data, one line each. */
    public static String read(Store store) {
        List<String> lines = new ArrayList<>();
        StoreSample.done(store.accountSends().page(CHAIN, Long.MAX_VALUE, 100)).forEach(send -> lines.add(line(send)));
        StoreSample.done(store.accountSends().open(CHAIN)).forEach(send -> lines.add("open " + send.reference()));
        StoreSample.done(store.accountSends().ofOwner(CHAIN, "swap-0"))
                .forEach(send -> lines.add("owned " + send.reference()));
        return lines.stream().map(line -> line + "\n").collect(Collectors.joining());
    }

    /** Names and order of a transaction's members in the samples, independent of how the records group them. */
    private static final List<String> MEMBERS = List.of(
            "id",
            "reference",
            "digest",
            "chainId",
            "kind",
            "from",
            "to",
            "value",
            "data",
            "nonce",
            "gasLimit",
            "feeCeiling",
            "pushing",
            "owner",
            "versions",
            "state",
            "outcome",
            "createdAt",
            "changedAt");

    private static String line(AccountSend send) {
        Map<String, String> members = new HashMap<>();
        for (Record group : List.of(send, send.order(), send.call(), send.progress())) {
            for (RecordComponent component : group.getClass().getRecordComponents()) {
                members.put(component.getName(), words(member(group, component)));
            }
        }
        assertThat(members.keySet()).as("all, and the three groups").hasSize(MEMBERS.size() + 3);
        return MEMBERS.stream()
                .map(name -> name + "=" + members.get(name))
                .collect(Collectors.joining(", ", "AccountSend[", "]"));
    }

    /** Formats every member: {@code toString} leaves out members that may contain a secret. */
    private static String words(Object value) {
        if (value instanceof Optional<?> maybe) {
            return maybe.map(held -> "Optional[" + words(held) + "]").orElse("Optional.empty");
        }
        if (value instanceof List<?> list) {
            return list.stream().map(AccountSendSample::words).collect(Collectors.joining(", ", "[", "]"));
        }
        return value instanceof Record row ? members(row) : String.valueOf(value);
    }

    private static String members(Record row) {
        return Arrays.stream(row.getClass().getRecordComponents())
                .map(component -> component.getName() + "=" + words(member(row, component)))
                .collect(Collectors.joining(", ", row.getClass().getSimpleName() + "[", "]"));
    }

    private static Object member(Record row, RecordComponent component) {
        try {
            return component.getAccessor().invoke(row);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}
