package org.chainwalletd.account;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.chainwalletd.account.SendSetup.SendPace;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.store.AccountSend;

/**
 * The transactions that have a nonce and are not final, and what is to be done about those that wait. Belongs to the {@link SendWatch}, which
 * alone touches it.
 */
final class OpenSends {
    /**
     * Amounts that transactions which are not final may still take.
     *
     * @param open transactions of all addresses that are not final
     * @param missing the highest nonce of the address that seems to be used by somebody else
     */
    record Commitments(List<Commitment> commitments, int open, OptionalLong missing) {
        /**
         * Returns the highest nonce of ours that somebody else has used.
         *
         * @param lost the highest of a transaction that is over
         */
        OptionalLong stolen(OptionalLong lost) {
            return LongStream.concat(lost.stream(), missing.stream()).max();
        }
    }

    private final SendPace pace;
    private final Map<Long, OpenSend> byId = new HashMap<>();
    private final Map<String, OpenSend> byReference = new HashMap<>();
    /** Time at which the way of an address was last asked for. */
    private final Map<EvmAddress, Long> wayAskedAt = new HashMap<>();

    OpenSends(SendPace pace) {
        this.pace = pace;
    }

    /** Action that a waiting transaction needs now. */
    enum Need {
        /** The same bytes were sent again. */
        SENT_AGAIN,
        HIGHER_FEE,
        /** No endpoint has ever accepted it. */
        ABANDONED,
        /** Its owner could not get it mined, and a claim waits for its nonce. */
        LEFT_BEHIND
    }

    record Due(OpenSend send, Need need) {}

    OpenSend follow(AccountSend row, long head) {
        OpenSend send = new OpenSend(row, head);
        byId.put(row.id(), send);
        byReference.put(row.reference(), send);
        return send;
    }

    List<OpenSend> all() {
        return List.copyOf(byId.values());
    }

    Optional<OpenSend> find(long id) {
        return Optional.ofNullable(byId.get(id));
    }

    Optional<OpenSend> find(String reference) {
        return Optional.ofNullable(byReference.get(reference));
    }

    void end(OpenSend send) {
        byId.remove(send.row.id());
        byReference.remove(send.row.reference());
    }

    Commitments commitments(EvmAddress from) {
        return new Commitments(
                of(from).stream()
                        .map(send -> send.row.isCopy()
                                ? Commitment.ofCopy(send.row)
                                : Commitment.of(send.row, send.isWaiting()))
                        .toList(),
                byId.size(),
                of(from).stream()
                        .filter(OpenSend::isMissing)
                        .mapToLong(send -> send.row.nonce())
                        .filter(nonce ->
                                of(from).stream().noneMatch(copy -> copy.row.isCopy() && copy.row.nonce() == nonce))
                        .max());
    }

    List<OpenSend> of(EvmAddress from) {
        return byId.values().stream()
                .filter(send -> SendSetup.payer(send.row).equals(from))
                .sorted(Comparator.comparingLong(send -> send.row.nonce()))
                .toList();
    }

    Map<EvmAddress, List<AccountSend>> rows() {
        Map<EvmAddress, List<AccountSend>> rows = new HashMap<>();
        for (OpenSend send : byId.values()) {
            rows.computeIfAbsent(SendSetup.payer(send.row), any -> new ArrayList<>())
                    .add(send.row);
        }
        return rows;
    }

    /** Sends whose nonce the journal has given, by nonce: each waits for the ones before it. */
    List<OpenSend> given(EvmAddress from) {
        return of(from).stream().filter(send -> !send.row.isCopy()).toList();
    }

    /** Copies of one, at other nonces, by nonce. */
    List<OpenSend> copies(AccountSend row) {
        return of(SendSetup.payer(row)).stream()
                .filter(send -> send.row.isCopy() && send.repeats(row))
                .toList();
    }

    /**
     * The nonce at which one goes out so that it comes next on a chain that has come to {@code named}: behind ours that are open there. Empty
     * when it does so already, by itself or by a copy.
     */
    OptionalLong nonceFrom(long named, AccountSend row) {
        Map<Long, List<OpenSend>> ours =
                of(SendSetup.payer(row)).stream().collect(Collectors.groupingBy(send -> send.row.nonce()));
        for (long nonce = named; nonce < Long.MAX_VALUE; nonce++) {
            List<OpenSend> holders = ours.getOrDefault(nonce, List.of());
            if (holders.stream().anyMatch(send -> send.row.id() == row.id() || send.repeats(row))) {
                return OptionalLong.empty();
            }
            if (holders.isEmpty()) {
                return OptionalLong.of(nonce);
            }
        }
        return OptionalLong.empty();
    }

    /** Whether a chain that has come to {@code named} comes to one of ours next, or after open ones of ours alone. */
    boolean leads(long named, AccountSend row) {
        Set<Long> ours =
                of(SendSetup.payer(row)).stream().map(send -> send.row.nonce()).collect(Collectors.toSet());
        return named <= row.nonce() && LongStream.range(named, row.nonce()).allMatch(ours::contains);
    }

    /** Returns the sends with the lowest nonces that may still be mined, which the others depend on. */
    private List<OpenSend> waiting(EvmAddress from) {
        return given(from).stream()
                .filter(this::mayBeMined)
                .limit(pace.window())
                .toList();
    }

    /**
     * Whether it is in no block and can come into one. One that is missing cannot, and the balance shows already who has used its nonce; but
     * where a claim or a refund waits for it, that is not believed before it is lost.
     */
    private boolean mayBeMined(OpenSend send) {
        return send.isWaiting() && (!send.isMissing() || isPressing(send));
    }

    /** Whether anything is in no block, as far as is known. One that is missing may be in one, and nothing new is sent before that is known. */
    boolean isWaiting(EvmAddress from) {
        return given(from).stream().anyMatch(OpenSend::isWaiting);
    }

    /** A gate asks for the way at each of its looks, as long as it waits for nothing else to be in no block. */
    void wayAsked(EvmAddress from, long now) {
        wayAskedAt.put(from, now);
    }

    /** Whether a gate has asked for the way of late and this is the next one in it. */
    boolean isInTheWay(OpenSend send, long now) {
        EvmAddress from = SendSetup.payer(send.row);
        Long asked = wayAskedAt.get(from);
        return asked != null
                && now - asked <= pace.stuck().toMillis()
                && waiting(from).stream().limit(1).anyMatch(next -> next == send);
    }

    /** Waiting transactions that their owners have left behind. */
    List<OpenSend> leftBehind(EvmAddress from, long now) {
        return waiting(from).stream()
                .filter(send -> send.isLeftBehind(pace, now))
                .toList();
    }

    /** Whether it is a claim or a refund, or one of them waits for it. */
    boolean isPressing(OpenSend send) {
        return send.isPressing()
                || given(SendSetup.payer(send.row)).stream()
                        .anyMatch(later ->
                                later.row.nonce() > send.row.nonce() && later.isWaiting() && later.isPressing());
    }

    /** @param head height of the chain */
    List<Due> due(EvmAddress from, long now, long head) {
        List<OpenSend> waiting = waiting(from);
        List<OpenSend> urgent = waiting.stream().filter(OpenSend::isUrgent).toList();
        List<Due> due = new ArrayList<>();
        boolean lowest = true;
        for (OpenSend send : waiting) {
            if (!lowest) {
                send.mayBeTaken();
            }
            need(send, urgent, lowest, now, head).ifPresent(need -> due.add(new Due(send, need)));
            lowest = false;
        }
        of(from).stream()
                .filter(copy -> copy.mustGoOut(pace, now) && isMissed(copy, waiting))
                .forEach(copy -> due.add(new Due(copy, Need.SENT_AGAIN)));
        return due;
    }

    /** Whether what waits needs the nonce of a copy that a reorganisation has taken out of its block. */
    private static boolean isMissed(OpenSend copy, List<OpenSend> waiting) {
        return copy.row.isCopy()
                && copy.isWaiting()
                && copy.isAhead
                && waiting.stream().anyMatch(send -> send.row.nonce() > copy.row.nonce())
                && waiting.stream().noneMatch(send -> send.row.nonce() == copy.row.nonce());
    }

    private Optional<Need> need(OpenSend send, List<OpenSend> urgent, boolean lowest, long now, long head) {
        if (!send.pushesItself()) {
            boolean holdsUp = urgent.stream().anyMatch(claim -> claim.row.nonce() > send.row.nonce());
            return holdsUp && send.isLeftBehind(pace, now) ? Optional.of(Need.LEFT_BEHIND) : Optional.empty();
        }
        if (send.isHopeless(pace, now)) {
            return Optional.of(Need.ABANDONED);
        }
        if (send.mustPayMore(pace, lowest, now, head)
                || urgent.stream().anyMatch(claim -> send.isInTheWayOf(claim, pace, now))) {
            return Optional.of(Need.HIGHER_FEE);
        }
        return send.mustGoOut(pace, now) ? Optional.of(Need.SENT_AGAIN) : Optional.empty();
    }

    /** Claims and refunds that wait for this one. */
    Replacer.Behind behind(AccountSend row) {
        List<OpenSend> pressing = row.isCopy()
                ? List.of()
                : given(SendSetup.payer(row)).stream()
                        .filter(send -> send.row.nonce() > row.nonce() && send.isWaiting() && send.isPressing())
                        .toList();
        return new Replacer.Behind(
                pressing.stream()
                        .flatMap(send -> send.row.order().feeCeiling().stream())
                        .reduce(BigInteger.ZERO, BigInteger::add),
                pressing.stream().map(OpenSend::room).reduce(BigInteger.ZERO, BigInteger::add),
                pressing.stream().map(send -> send.row.newest().tip()).reduce(BigInteger.ZERO, BigInteger::max));
    }

    /** Wei that the others of its address which may still be mined may take. */
    BigInteger committedBeside(AccountSend row) {
        return given(SendSetup.payer(row)).stream()
                .filter(send -> send.row.id() != row.id() && mayBeMined(send))
                .map(send -> Commitment.of(send.row, true).most())
                .reduce(BigInteger.ZERO, BigInteger::add);
    }

    /**
     * Amount that one of our transactions may still take from the balance.
     *
     * @param most wei: value and fee of the dearest version
     * @param least wei: value and fee of the cheapest version
     * @param waiting whether it is in no block
     */
    record Commitment(long nonce, BigInteger most, BigInteger least, boolean waiting) {
        static Commitment of(AccountSend send, boolean waiting) {
            Comparator<AccountSend.Version> byFee = Comparator.comparing(AccountSend.Version::maxFee);
            return new Commitment(
                    send.nonce(),
                    cost(send, send.versions().stream().max(byFee).orElseThrow()),
                    cost(send, send.versions().stream().min(byFee).orElseThrow()),
                    waiting);
        }

        /** Commitment of a copy: its call counts already with the send that it repeats, and a copy pays at most for its own failure. */
        static Commitment ofCopy(AccountSend send) {
            return new Commitment(send.nonce(), BigInteger.ZERO, BigInteger.ZERO, false);
        }

        private static BigInteger cost(AccountSend send, AccountSend.Version version) {
            return send.call()
                    .value()
                    .add(version.maxFee()
                            .multiply(BigInteger.valueOf(send.call().gasLimit())));
        }

        /** Most that is taken by those that a balance after {@code count} transactions does not know yet. */
        static BigInteger sum(List<Commitment> all, long count) {
            return all.stream()
                    .filter(commitment -> commitment.nonce() >= count)
                    .map(Commitment::most)
                    .reduce(BigInteger.ZERO, BigInteger::add);
        }

        /** Least that is taken by those that are in no block. */
        static BigInteger sumOfWaiting(List<Commitment> all) {
            return all.stream()
                    .filter(Commitment::waiting)
                    .map(Commitment::least)
                    .reduce(BigInteger.ZERO, BigInteger::add);
        }
    }
}
