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

/** Transactions that have a nonce and are not final, and the actions that are due for waiting ones. Used only by the {@link SendWatch}. */
final class OpenSends {
    /**
     * Amounts that the open transactions of an address may still take.
     *
     * @param open number of transactions of all addresses that are not final
     * @param missing highest nonce of the address that another sender seems to have used
     */
    record Commitments(List<Commitment> commitments, int open, OptionalLong missing) {
        /**
         * Returns the highest of our nonces that another sender has used.
         *
         * @param lost highest nonce of a transaction that is over and lost
         */
        OptionalLong stolen(OptionalLong lost) {
            return LongStream.concat(lost.stream(), missing.stream()).max();
        }
    }

    private final SendPace pace;
    private final Map<Long, OpenSend> byId = new HashMap<>();
    private final Map<String, OpenSend> byReference = new HashMap<>();
    /** Time at which a gate last requested that all sends of an address be in a block. */
    private final Map<EvmAddress, Long> wayAskedAt = new HashMap<>();

    OpenSends(SendPace pace) {
        this.pace = pace;
    }

    /** Action that is due for a waiting transaction. */
    enum Need {
        /** Send the same bytes again. */
        RESEND,
        HIGHER_FEE,
        /** Abandon it, because no endpoint has ever accepted it. */
        ABANDONED,
        /** Abandon it, because its owner has not had it mined and a claim waits for its nonce. */
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

    /** Returns the sends at the nonces that the journal assigned, by nonce; each waits for the previous ones. */
    List<OpenSend> given(EvmAddress from) {
        return of(from).stream().filter(send -> !send.row.isCopy()).toList();
    }

    /** Returns the copies of a send at other nonces, by nonce. */
    List<OpenSend> copies(AccountSend row) {
        return of(SendSetup.payer(row)).stream()
                .filter(send -> send.row.isCopy() && send.repeats(row))
                .toList();
    }

    /**
     * Returns the nonce that a send needs on a chain whose next nonce is {@code named}: the first one from there that no open send of ours uses.
     * Empty if the send or a copy of it has one of the nonces before it.
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

    /** Whether a send can be mined on a chain whose next nonce is {@code named}: open sends of ours use all nonces from there to its own. */
    boolean leads(long named, AccountSend row) {
        Set<Long> ours =
                of(SendSetup.payer(row)).stream().map(send -> send.row.nonce()).collect(Collectors.toSet());
        return named <= row.nonce() && LongStream.range(named, row.nonce()).allMatch(ours::contains);
    }

    /** Returns the sends with the lowest nonces that may still be mined; later ones depend on them. */
    private List<OpenSend> waiting(EvmAddress from) {
        return given(from).stream()
                .filter(this::mayBeMined)
                .limit(pace.window())
                .toList();
    }

    /**
     * Whether the send is not in a block and can still be mined. A missing send cannot, and the balance already reflects the transaction that used
     * its nonce. If the send is a claim or a refund, or one waits for it, it counts as minable until it is lost.
     */
    private boolean mayBeMined(OpenSend send) {
        return send.isWaiting() && (!send.isMissing() || isPressing(send));
    }

    /**
     * Whether a send of the address is not known to be in a block. Includes missing sends: they may be in one, and nothing new is sent until that
     * is known.
     */
    boolean isWaiting(EvmAddress from) {
        return given(from).stream().anyMatch(OpenSend::isWaiting);
    }

    /** Records a gate's request, which the gate repeats at each look while it waits only for all sends to be in a block. */
    void wayAsked(EvmAddress from, long now) {
        wayAskedAt.put(from, now);
    }

    /** Whether a gate waits for the sends of the address to be in a block, and this is the next one to be mined. */
    boolean isInTheWay(OpenSend send, long now) {
        EvmAddress from = SendSetup.payer(send.row);
        Long asked = wayAskedAt.get(from);
        return asked != null
                && now - asked <= pace.stuck().toMillis()
                && waiting(from).stream().limit(1).anyMatch(next -> next == send);
    }

    /** Returns the waiting sends that their owners have not had mined for long. */
    List<OpenSend> leftBehind(EvmAddress from, long now) {
        return waiting(from).stream()
                .filter(send -> send.isLeftBehind(pace, now))
                .toList();
    }

    /** Whether the send is a claim or a refund, or one of them waits for it. */
    boolean isPressing(OpenSend send) {
        return send.isPressing()
                || given(SendSetup.payer(send.row)).stream()
                        .anyMatch(later ->
                                later.row.nonce() > send.row.nonce() && later.isWaiting() && later.isPressing());
    }

    /**
     * Returns the actions that are due for the sends of an address.
     *
     * @param head height of the chain
     */
    List<Due> due(EvmAddress from, long now, long head) {
        List<OpenSend> waiting = waiting(from);
        List<OpenSend> urgent = waiting.stream().filter(OpenSend::isUrgent).toList();
        List<Due> due = new ArrayList<>();
        boolean lowest = true;
        for (OpenSend send : waiting) {
            if (!lowest) {
                send.forgetRefusals();
            }
            need(send, urgent, lowest, now, head).ifPresent(need -> due.add(new Due(send, need)));
            lowest = false;
        }
        of(from).stream()
                .filter(copy -> copy.mustResend(pace, now) && isMissed(copy, waiting))
                .forEach(copy -> due.add(new Due(copy, Need.RESEND)));
        return due;
    }

    /** Whether waiting sends need the nonce of a copy that a reorganisation has removed from its block. */
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
        return send.mustResend(pace, now) ? Optional.of(Need.RESEND) : Optional.empty();
    }

    /** Returns the offers of the claims and refunds that wait for this send. */
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

    /** Returns the wei that other sends of its address may still take. */
    BigInteger committedBeside(AccountSend row) {
        return given(SendSetup.payer(row)).stream()
                .filter(send -> send.row.id() != row.id() && mayBeMined(send))
                .map(send -> Commitment.of(send.row, true).most())
                .reduce(BigInteger.ZERO, BigInteger::add);
    }

    /**
     * Amount that one of our transactions may still take from the balance.
     *
     * @param most value and fee of the most expensive version, wei
     * @param least value and fee of the cheapest version, wei
     * @param waiting whether the transaction is not in a block
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

        /**
         * Returns the commitment of a copy: zero, because its value counts with the original, and a copy itself can cost only the fee of its
         * revert.
         */
        static Commitment ofCopy(AccountSend send) {
            return new Commitment(send.nonce(), BigInteger.ZERO, BigInteger.ZERO, false);
        }

        private static BigInteger cost(AccountSend send, AccountSend.Version version) {
            return send.call()
                    .value()
                    .add(version.maxFee()
                            .multiply(BigInteger.valueOf(send.call().gasLimit())));
        }

        /** Returns the maximum amount that is not yet subtracted from a balance after {@code count} transactions. */
        static BigInteger sum(List<Commitment> all, long count) {
            return all.stream()
                    .filter(commitment -> commitment.nonce() >= count)
                    .map(Commitment::most)
                    .reduce(BigInteger.ZERO, BigInteger::add);
        }

        /** Returns the minimum amount that the transactions not in a block take. */
        static BigInteger sumOfWaiting(List<Commitment> all) {
            return all.stream()
                    .filter(Commitment::waiting)
                    .map(Commitment::least)
                    .reduce(BigInteger.ZERO, BigInteger::add);
        }
    }
}
