package org.chainwalletd.devnet.call;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.concurrent.atomic.AtomicLong;

/** The quirks and misbehaviour that {@code devnet_set} switches on and off. Thread-safe. */
public final class Faults {
    private volatile boolean quota;
    private volatile long latencyMillis;
    private volatile boolean refuse;
    private volatile Lie lie = Lie.NONE;

    private final AtomicLong tipChanges = new AtomicLong();
    private Drop drop = Drop.NONE;
    private long dropsLeft;
    private String dropMethod;

    /** Moment at which the connection of a call is cut. */
    public enum Drop {
        NONE,
        /** Before the call is executed. */
        BEFORE,
        /** After the call was executed, which the caller cannot know. */
        AFTER
    }

    public boolean quota() {
        return quota;
    }

    public void quota(boolean on) {
        quota = on;
    }

    public long latencyMillis() {
        return latencyMillis;
    }

    /** Delays every answer. */
    public void latencyMillis(long millis) {
        latencyMillis = millis;
    }

    /** Whether transactions are refused with an internal error. */
    public void refuse(boolean on) {
        refuse = on;
    }

    /** Makes the next {@code count} transactions be refused as if a block had arrived during their check. */
    public void tipChanges(long count) {
        tipChanges.set(count);
    }

    public void lie(Lie kind) {
        lie = kind;
    }

    /**
     * Cuts the connections of the next {@code count} calls.
     *
     * @param method only calls of this method; null: of every one
     */
    public synchronized void drop(Drop kind, long count, String method) {
        drop = kind;
        dropsLeft = count;
        dropMethod = method;
    }

    /** Whether to cut the call of {@code method} that is about to run; uses up one of the counted cuts. */
    synchronized Drop takeDrop(String method) {
        if (drop == Drop.NONE || isControl(method) || dropMethod != null && !dropMethod.equals(method)) {
            return Drop.NONE;
        }
        Drop taken = drop;
        if (--dropsLeft <= 0) {
            drop = Drop.NONE;
        }
        return taken;
    }

    /** Whether {@code method} controls the node itself; faults do not apply to such calls. */
    static boolean isControl(String method) {
        return method.startsWith("devnet_");
    }

    void refuse(String method) {
        if (refuse && method.equals("send_raw_transaction")) {
            throw new CallException(CallException.INTERNAL, "Storage error: refused by devnet_set");
        }
        if (method.equals("send_raw_transaction") && tipChanges.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new CallException(CallException.INTERNAL, "Tip changed during validation, try again");
        }
    }

    JsonNode distort(String method, JsonNode result) {
        return lie == Lie.NONE ? result : lie.distort(method, result);
    }
}
