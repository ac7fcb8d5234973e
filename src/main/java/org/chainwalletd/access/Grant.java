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
 * Rights that a token grants to a request. The grant accompanies the request from its header to its payment, and ends when the token is
 * revoked, expires or is no longer accepted after a rotation. Thread-safe.
 *
 * <p>A token with spending restrictions allows only methods that are checked here, so a newly added method is refused until its check is
 * added.
 */
public final class Grant {
    /** Maximum fee of a payment by a token with spending restrictions, in base units. */
    public static final Amount MAX_FEE = Amount.of(2_000_000);

    /** Methods above read scope whose payments are checked by {@link #objectionTo}. */
    public static final Set<String> CHECKED_METHODS =
            Set.of("transfer", "htlc_lock", "payout_submit", "payout_cancel", "payout_release");

    /** Grants of the classic tokens with key export allowed. */
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
    /** Listeners in registration order, so that a wait is cancelled before it is answered. Guarded by itself. */
    private final Set<Runnable> listeners = new LinkedHashSet<>();

    private volatile boolean ended;
    /** Expiry in milliseconds since the epoch. */
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

    /** Returns the grant of the classic token of this scope; it never ends. */
    public static Grant of(Scope scope) {
        return CLASSIC.get(scope);
    }

    /**
     * Creates the grant of one value of a classic token.
     *
     * @param keyExport if false, methods that return keys are refused
     */
    public static Grant classic(Scope scope, boolean keyExport) {
        return new Grant(scope.word(), true, scope, NamedToken.Policy.NONE, () -> 0, keyExport);
    }

    /** Creates the grant of a named token without an expiry, see {@link #setExpiry}. */
    static Grant of(NamedToken token, InstantSource clock, boolean keyExport) {
        return new Grant(token.name(), false, token.scope(), token.policy(), clock::millis, keyExport);
    }

    /** Sets the expiry of a value of the token, which a rotation shortens: open calls of that value continue until then. */
    void setExpiry(NamedToken token, NamedToken.Value value) {
        until = Math.min(token.expiresAt().orElse(Long.MAX_VALUE), value.until().orElse(Long.MAX_VALUE));
    }

    /** Name of the token; for a classic token the word of its scope. */
    public String name() {
        return name;
    }

    /** Name to which payments are bound; empty for the classic tokens, which are a single owner. */
    public Optional<String> owner() {
        return classic ? Optional.empty() : Optional.of(name);
    }

    /** Returns the owner of payments requested by the token with this name, see {@link #owner}. */
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
     * {@code data} of error -32043.
     *
     * @param rule {@code methods}, {@code allow_list}, {@code key_export}, {@code from}, {@code to}, {@code fee}, {@code cap_per_tx} or
     *     {@code cap_per_period}
     * @param value requested value
     * @param limit allowed value: an amount, a list of methods, or the number of addresses in the list
     */
    public record PolicyData(String token, String rule, Object value, Object limit) {}

    /**
     * Reason why this token must not call a method although its scope contains it; checked before idempotency.
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
        if (policy.restrictsMoney() && required != Scope.READ && !CHECKED_METHODS.contains(method)) {
            return Optional.of(refusal(
                    "allow_list",
                    method,
                    CHECKED_METHODS.stream().sorted().toList(),
                    "the token " + name + " is restricted in what it may spend, and " + method
                            + " cannot be judged by that"));
        }
        return Optional.empty();
    }

    /** Whether a method returns a secret key or phrase, including brand-specific method names. */
    public static boolean exportsKeys(String method) {
        return method.startsWith("export_") || method.startsWith("reveal_") || method.contains("_reveal_");
    }

    /**
     * Reason why this token must not make a payment. Checked after idempotency, so that a completed payment is answered regardless of the
     * current policy.
     *
     * @param destinations all outputs except change to {@code payer}
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
        return MAX_FEE.isLessThan(fee)
                ? Optional.of(refusal("fee", fee, MAX_FEE, "its fee may be " + MAX_FEE + " base units at most"))
                : Optional.empty();
    }

    /** Reason why this amount must not be spent in one transaction, however little was spent before in the period. */
    public Optional<Refusal> objectionTo(Amount leaving) {
        return objectionTo(leaving, policy.capPerTx(), "cap_per_tx", "one transaction")
                .or(() ->
                        objectionTo(leaving, policy.capPerPeriod(), "cap_per_period", "all transactions of a period"));
    }

    private Optional<Refusal> objectionTo(Amount leaving, Optional<Amount> cap, String rule, String what) {
        return cap.filter(most -> most.isLessThan(leaving))
                .map(most -> refusal(rule, leaving, most, what + " may spend " + most + " base units at most"));
    }

    private Refusal refusal(String rule, Object value, Object limit, String why) {
        return refusal(name, rule, value, limit, why);
    }

    /** Creates the refusal of a rule of a token's policy, see {@link PolicyData}. */
    public static Refusal refusal(String name, String rule, Object value, Object limit, String why) {
        return new Refusal(
                ErrorCode.POLICY_REFUSED,
                "policy of token " + name + ": " + why,
                new PolicyData(name, rule, value, limit));
    }

    /** Whether the token is no longer accepted: it was revoked or rotated out, or has expired. */
    public boolean hasEnded() {
        return ended || clock.getAsLong() >= until;
    }

    /** Reason why this token must not do anything any more; empty while it is accepted. */
    public Optional<Refusal> objectionIfEnded() {
        return hasEnded()
                ? Optional.of(new Refusal(ErrorCode.UNAUTHORIZED, "authentication required"))
                : Optional.empty();
    }

    /**
     * Runs {@code action} once when the token ends, immediately if it has ended. Used by waits and streams, which end with the token.
     *
     * @return cancels the action
     */
    public Runnable whenEnded(Runnable action) {
        // Wrapped in an object of its own, because the same action may be registered twice.
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
        List<Runnable> toNotify;
        synchronized (listeners) {
            ended = true;
            toNotify = List.copyOf(listeners);
            listeners.clear();
        }
        toNotify.forEach(Runnable::run);
    }

    /** Compares grants of classic tokens by their rights, regardless of the token's value. */
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
