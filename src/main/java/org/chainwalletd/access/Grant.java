package org.chainwalletd.access;

import java.time.InstantSource;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException.Refusal;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;

/**
 * The rights that the token of a request gives. They go with the request from its header to its payment, and end when the token is revoked, expires or is
 * no longer accepted after a rotation. Safe for threads.
 *
 * <p>A token that restricts money allows what is judged here and nothing else, so a method that is added later is refused until it is judged.
 */
public final class Grant {
    /** Most that a payment of a token that restricts money may cost, in base units. */
    public static final Amount MOST_FEE = Amount.of(2_000_000);

    /** Methods above read scope whose payments are judged by {@link #objectionTo}. */
    public static final Set<String> JUDGED =
            Set.of("transfer", "htlc_lock", "payout_submit", "payout_cancel", "payout_release");

    /** The classic tokens while nothing is switched off. */
    private static final Map<Scope, Grant> CLASSIC =
            Stream.of(Scope.values()).collect(Collectors.toMap(scope -> scope, scope -> classic(scope, true)));

    private final String name;
    private final boolean classic;
    private final Scope scope;
    private final NamedToken.Policy policy;
    private final LongSupplier clock;
    private final boolean keyExport;
    private final Optional<Set<String>> methods;
    private final Optional<Set<Address>> from;
    private final Optional<Set<Address>> to;
    /** Listeners in the order of registration, so that cancelling a wait precedes answering it. Synchronised on itself. */
    private final Set<Runnable> listeners = new LinkedHashSet<>();

    private volatile boolean ended;
    /** When it ends by itself, in milliseconds since the epoch. */
    private volatile long until = Long.MAX_VALUE;

    private Grant(
            String name,
            boolean classic,
            Scope scope,
            NamedToken.Policy policy,
            LongSupplier clock,
            boolean keyExport) {
        this.name = name;
        this.classic = classic;
        this.scope = scope;
        this.policy = policy;
        this.clock = clock;
        this.keyExport = keyExport;
        this.methods = policy.methods().map(HashSet::new);
        this.from = policy.from().map(HashSet::new);
        this.to = policy.to().map(HashSet::new);
    }

    /** Grant of the token that every daemon has for this scope; it never ends. */
    public static Grant of(Scope scope) {
        return CLASSIC.get(scope);
    }

    /**
     * Creates the grant of one value of a classic token.
     *
     * @param keyExport false: methods that give keys away are refused
     */
    public static Grant classic(Scope scope, boolean keyExport) {
        return new Grant(scope.word(), true, scope, NamedToken.Policy.NONE, () -> 0, keyExport);
    }

    /** Grant of a named token, without an end, see {@link #lastsAs}. */
    static Grant of(NamedToken token, InstantSource clock, boolean keyExport) {
        return new Grant(token.name(), false, token.scope(), token.policy(), clock::millis, keyExport);
    }

    /** Takes the end of a value of the token, which a rotation sets: what the value has open goes on until then. */
    void lastsAs(NamedToken token, NamedToken.Value value) {
        until = Math.min(token.expiresAt().orElse(Long.MAX_VALUE), value.until().orElse(Long.MAX_VALUE));
    }

    /** Name of the token; for a classic token the word of its scope. */
    public String name() {
        return name;
    }

    /** The name that payments are bound to; empty for the classic tokens, which are one owner. */
    public Optional<String> owner() {
        return classic ? Optional.empty() : Optional.of(name);
    }

    /** Finds the owner of what the token with this name asked for, see {@link #owner}. */
    public static Optional<String> ownerOf(String name) {
        return CLASSIC.keySet().stream().anyMatch(scope -> scope.word().equals(name))
                ? Optional.empty()
                : Optional.of(name);
    }

    public Scope scope() {
        return scope;
    }

    public NamedToken.Policy policy() {
        return policy;
    }

    /**
     * Data of -32043.
     *
     * @param rule {@code methods}, {@code allow_list}, {@code key_export}, {@code from}, {@code to}, {@code fee}, {@code cap_per_tx}
     *     or {@code cap_per_period}
     * @param value what was asked for
     * @param limit what is allowed: an amount, a list of methods, or how many addresses the list has
     */
    public record PolicyData(String token, String rule, Object value, Object limit) {}

    /**
     * Why this token may not call a method although its scope contains it; decided before idempotency.
     *
     * @param method its name, or the path of a page
     */
    public Optional<Refusal> objectionTo(String method, Scope required) {
        if (!keyExport && exportsKeys(method)) {
            return Optional.of(
                    refusal("key_export", method, List.of(), "key export is switched off (--no-key-export)"));
        }
        if (methods.isPresent() && !methods.get().contains(method)) {
            return Optional.of(refusal(
                    "methods",
                    method,
                    methods.get().stream().sorted().toList(),
                    "the token " + name + " may not call " + method));
        }
        if (policy.restrictsMoney() && required != Scope.READ && !JUDGED.contains(method)) {
            return Optional.of(refusal(
                    "allow_list",
                    method,
                    JUDGED.stream().sorted().toList(),
                    "the token " + name + " is restricted in what it may spend, and " + method
                            + " cannot be judged by that"));
        }
        return Optional.empty();
    }

    /** Whether a method gives a secret key or phrase away, also under the name that a brand gives it. */
    public static boolean exportsKeys(String method) {
        return method.startsWith("export_") || method.startsWith("reveal_") || method.contains("_reveal_");
    }

    /**
     * Why this token may not make a payment; decided after idempotency, so that what was paid is answered whatever is allowed now.
     *
     * @param destinations all but the change to {@code payer}
     * @param fee as far as it is known
     */
    public Optional<Refusal> objectionTo(Address payer, List<Address> destinations, Amount fee) {
        Optional<Refusal> end = objectionIfEnded();
        if (end.isPresent()) {
            return end;
        }
        if (!policy.restrictsMoney()) {
            return Optional.empty();
        }
        if (from.isPresent() && !from.get().contains(payer)) {
            return Optional.of(refusal("from", payer, from.get().size(), "it may not spend from " + payer));
        }
        for (Address destination : destinations) {
            if (to.isPresent() && !to.get().contains(destination)) {
                return Optional.of(refusal("to", destination, to.get().size(), "it may not pay " + destination));
            }
        }
        return MOST_FEE.isLessThan(fee)
                ? Optional.of(refusal("fee", fee, MOST_FEE, "its fee may be " + MOST_FEE + " base units at most"))
                : Optional.empty();
    }

    /** Why so much may not leave in one transaction. */
    public Optional<Refusal> objectionTo(Amount leaving) {
        return policy.capPerTx()
                .filter(cap -> cap.isLessThan(leaving))
                .map(cap -> refusal(
                        "cap_per_tx", leaving, cap, "one transaction may spend " + cap + " base units at most"));
    }

    private Refusal refusal(String rule, Object value, Object limit, String why) {
        return refusal(name, rule, value, limit, why);
    }

    /** The refusal of a rule of a token's policy, see {@link PolicyData}. */
    public static Refusal refusal(String name, String rule, Object value, Object limit, String why) {
        return new Refusal(
                ErrorCode.POLICY_REFUSED,
                "policy of token " + name + ": " + why,
                new PolicyData(name, rule, value, limit));
    }

    /** Whether its token is not accepted any more: it was revoked or rotated away, or has expired by now. */
    public boolean hasEnded() {
        return ended || clock.getAsLong() >= until;
    }

    /** Why nothing may be done with this token any more; empty while it is accepted. */
    public Optional<Refusal> objectionIfEnded() {
        return hasEnded()
                ? Optional.of(new Refusal(ErrorCode.UNAUTHORIZED, "authentication required"))
                : Optional.empty();
    }

    /**
     * Runs {@code action} once when the token ends, at once when it has ended. For waits and streams, which end with it.
     *
     * @return drops the action
     */
    public Runnable whenEnded(Runnable action) {
        // An own object: the same action may be given twice.
        Runnable listener = new Runnable() {
            @Override
            public void run() {
                action.run();
            }
        };
        boolean waits;
        synchronized (listeners) {
            waits = !ended && listeners.add(listener);
        }
        if (!waits) {
            action.run();
        }
        return () -> drop(listener);
    }

    private void drop(Runnable listener) {
        synchronized (listeners) {
            listeners.remove(listener);
        }
    }

    void end() {
        List<Runnable> told;
        synchronized (listeners) {
            ended = true;
            told = List.copyOf(listeners);
            listeners.clear();
        }
        told.forEach(Runnable::run);
    }

    /** Grants of a classic token are equal, whichever value of it they are of: they give the same rights. */
    @Override
    public boolean equals(Object other) {
        return this == other
                || classic
                        && other instanceof Grant grant
                        && grant.classic
                        && grant.scope == scope
                        && grant.keyExport == keyExport;
    }

    @Override
    public int hashCode() {
        return classic ? scope.hashCode() : System.identityHashCode(this);
    }
}
