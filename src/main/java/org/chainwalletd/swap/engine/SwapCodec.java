package org.chainwalletd.swap.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.swap.gates.Acts;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapRow.PoolLock;
import org.chainwalletd.swap.gates.SwapTerms;
import org.chainwalletd.swap.pool.Direction;

/**
 * Encoding of a swap before it is sealed: a version byte, the 32 bytes of the secret, then the row as JSON. The secret is not in the JSON, because
 * strings cannot be overwritten.
 */
public final class SwapCodec {
    static final int SECRET_LENGTH = 32;

    private static final byte VERSION = 1;
    private static final int JSON_AT = 1 + SECRET_LENGTH;
    private static final ObjectMapper JSON = new ObjectMapper();

    private SwapCodec() {}

    /** A row with its secret, which the recipient closes. */
    record Opened(SwapRow row, SecretBytes secret) {}

    static SecretBytes encode(SwapRow row, SecretBytes secret) {
        byte[] json;
        try {
            json = JSON.writeValueAsBytes(toJson(row));
        } catch (IOException e) {
            throw new IllegalStateException("a swap cannot be written", e);
        }
        byte[] all = new byte[JSON_AT + json.length];
        all[0] = VERSION;
        secret.use(bytes -> {
            System.arraycopy(bytes, 0, all, 1, SECRET_LENGTH);
            return null;
        });
        System.arraycopy(json, 0, all, JSON_AT, json.length);
        return SecretBytes.takeOver(all);
    }

    /** @throws IllegalArgumentException for anything that {@link #encode} did not write */
    static Opened decode(SecretBytes content) {
        return content.use(bytes -> {
            if (bytes.length < JSON_AT || bytes[0] != VERSION) {
                throw new IllegalArgumentException(
                        "a row of the swap journal has a form that this release does not know");
            }
            SecretBytes secret = SecretBytes.takeOver(Arrays.copyOfRange(bytes, 1, JSON_AT));
            try {
                return new Opened(fromJson(JSON.readTree(bytes, JSON_AT, bytes.length - JSON_AT)), secret);
            } catch (IOException | RuntimeException e) {
                secret.close();
                throw new IllegalArgumentException("a row of the swap journal cannot be read", e);
            }
        });
    }

    private static ObjectNode toJson(SwapRow row) {
        ObjectNode json = JSON.createObjectNode()
                .put("id", row.id())
                .put("pool_swap_id", row.poolSwapId())
                .put("run", row.run())
                .put("created_at", row.createdAt())
                .put("updated_at", row.updatedAt());
        row.minimumOut().ifPresent(units -> json.put("minimum_out", units.toString()));
        row.error().ifPresent(error -> json.put("error", error));
        row.endedAt().ifPresent(height -> json.put("ended_at", height));
        json.set("terms", terms(row.terms()));
        json.set("acts", acts(row.acts()));
        json.set("own_lock", ownLock(row.ownLock()));
        json.set("pool_lock", poolLock(row.poolLock()));
        return json;
    }

    private static SwapRow fromJson(JsonNode json) {
        OwnLock own = ownLock(json.required("own_lock"));
        PoolLock pool = poolLock(json.required("pool_lock"));
        boolean claimed = own instanceof OwnLock.Claimed || pool instanceof PoolLock.Claimed;
        return new SwapRow(
                text(json, "id"),
                text(json, "pool_swap_id"),
                text(json, "run"),
                terms(json.required("terms")),
                maybe(json, "minimum_out").map(BigInteger::new),
                acts(json.required("acts"), claimed),
                own,
                pool,
                maybe(json, "error"),
                maybeNumber(json, "ended_at"),
                number(json, "created_at"),
                number(json, "updated_at"));
    }

    private static ObjectNode terms(SwapTerms terms) {
        ObjectNode json = JSON.createObjectNode()
                .put("direction", terms.direction().name())
                .put("hash_lock", terms.hashLock().hex())
                .put("amount_in", terms.given().decimal())
                .put("amount_out", terms.received().decimal())
                .put("amount_in_units", terms.given().units().toString())
                .put("amount_out_units", terms.received().units().toString())
                .put("contract", terms.account().contract().toString())
                .put("our_address", terms.ours().address().hex())
                .put("our_key", terms.ours().key().hex())
                .put("our_evm_address", terms.ours().evm().toString())
                .put("timeout", terms.timeout())
                .put("depth", terms.depth())
                .put("expires_at", terms.offer().expiresAt())
                .put("fee_bps", terms.offer().feeBps());
        terms.account().chainId().ifPresent(id -> json.put("chain_id", id.toString()));
        terms.theirs().key().ifPresent(key -> json.put("pool_key", key.hex()));
        terms.theirs().evm().ifPresent(address -> json.put("pool_evm_address", address.toString()));
        terms.offer().networkFeeNative().ifPresent(fee -> json.put("network_fee_native", fee));
        return json;
    }

    private static SwapTerms terms(JsonNode json) {
        return new SwapTerms(
                Direction.valueOf(text(json, "direction")),
                Hash256.parse(text(json, "hash_lock")),
                new SwapTerms.Sum(text(json, "amount_in"), new BigInteger(text(json, "amount_in_units"))),
                new SwapTerms.Sum(text(json, "amount_out"), new BigInteger(text(json, "amount_out_units"))),
                new SwapTerms.AccountLeg(
                        maybe(json, "chain_id").map(BigInteger::new), EvmAddress.parse(text(json, "contract"))),
                new SwapTerms.Ours(
                        Address.parse(text(json, "our_address")),
                        PublicKey.parse(text(json, "our_key")),
                        EvmAddress.parse(text(json, "our_evm_address"))),
                new SwapTerms.Theirs(
                        maybe(json, "pool_key").map(PublicKey::parse),
                        maybe(json, "pool_evm_address").map(EvmAddress::parse)),
                number(json, "timeout"),
                number(json, "depth"),
                new SwapTerms.Offer(
                        number(json, "expires_at"), number(json, "fee_bps"), maybe(json, "network_fee_native")));
    }

    private static ObjectNode acts(Acts acts) {
        ObjectNode json = JSON.createObjectNode()
                .put("expired", acts.expired())
                .put("locking", acts.locking())
                .put("abandoning", acts.abandoning())
                .put("claim_permitted", acts.claimPermitted())
                .put("revealed", acts.claimJournalled())
                .put("refunding", acts.refunding());
        acts.lockTx().ifPresent(tx -> json.put("lock_tx", tx));
        acts.claimTx().ifPresent(tx -> json.put("claim_tx", tx));
        acts.refundTx().ifPresent(tx -> json.put("refund_tx", tx));
        return json;
    }

    /**
     * Decodes the acts. Earlier releases had a single mark for permission and claim, written when the gate opened, before the claim was made. For
     * their rows, a claim counts as journalled if the row itself records one; the next observation finds any other claim, in a journal or on a
     * chain, before anything is sent.
     *
     * @param claimed whether the row records a claim of either lock
     */
    private static Acts acts(JsonNode json, boolean claimed) {
        boolean revealed = json.required("revealed").booleanValue();
        boolean isOfEarlierRelease = !json.has("claim_permitted");
        return new Acts(
                json.required("expired").booleanValue(),
                json.required("locking").booleanValue(),
                json.required("abandoning").booleanValue(),
                isOfEarlierRelease ? revealed : json.required("claim_permitted").booleanValue(),
                isOfEarlierRelease ? revealed && (claimed || json.has("claim_tx")) : revealed,
                json.required("refunding").booleanValue(),
                maybe(json, "lock_tx"),
                maybe(json, "claim_tx"),
                maybe(json, "refund_tx"));
    }

    private static ObjectNode ownLock(OwnLock lock) {
        ObjectNode json = JSON.createObjectNode();
        if (lock instanceof OwnLock.Locked locked) {
            json.put("is", "locked").put("at", locked.reference());
            locked.settledAt().ifPresent(time -> json.put("settled_at", time));
        } else if (lock instanceof OwnLock.Claimed claimed) {
            json.put("is", "claimed").put("at", claimed.reference()).put("tx", claimed.tx());
            json.put("final", claimed.isFinal());
        } else if (lock instanceof OwnLock.TakenBack back) {
            json.put("is", "taken_back").put("at", back.reference()).put("tx", back.tx());
            json.put("final", back.isFinal());
        } else if (lock instanceof OwnLock.Foreign) {
            json.put("is", "foreign");
        } else {
            json.put("is", lock instanceof OwnLock.Lost ? "lost" : "absent");
        }
        return json;
    }

    private static OwnLock ownLock(JsonNode json) {
        return switch (text(json, "is")) {
            case "locked" -> new OwnLock.Locked(text(json, "at"), maybeNumber(json, "settled_at"));
            case "claimed" -> new OwnLock.Claimed(text(json, "at"), text(json, "tx"), isFinal(json));
            case "taken_back" -> new OwnLock.TakenBack(text(json, "at"), text(json, "tx"), isFinal(json));
            case "foreign" -> new OwnLock.Foreign();
            case "lost" -> new OwnLock.Lost();
            case "absent" -> new OwnLock.Absent();
            default -> throw new IllegalArgumentException("no such state of our lock: " + text(json, "is"));
        };
    }

    private static ObjectNode poolLock(PoolLock lock) {
        ObjectNode json = JSON.createObjectNode();
        if (lock instanceof PoolLock.Locked locked) {
            json.put("is", "locked").put("at", locked.reference());
            locked.end().ifPresent(end -> json.put("end", end));
        } else if (lock instanceof PoolLock.Claimed claimed) {
            json.put("is", "claimed").put("at", claimed.reference()).put("tx", claimed.tx());
            json.put("final", claimed.isFinal());
        } else if (lock instanceof PoolLock.TakenBack back) {
            json.put("is", "taken_back").put("at", back.reference()).put("final", back.isFinal());
        } else if (lock instanceof PoolLock.Absent absent) {
            json.put("is", "absent");
            absent.since().ifPresent(height -> json.put("since", height));
            if (absent.isFinal()) {
                json.put("final", true);
            }
        } else {
            json.put("is", "foreign");
        }
        return json;
    }

    private static PoolLock poolLock(JsonNode json) {
        return switch (text(json, "is")) {
            case "locked" -> new PoolLock.Locked(text(json, "at"), maybeNumber(json, "end"));
            case "claimed" -> new PoolLock.Claimed(text(json, "at"), text(json, "tx"), isFinal(json));
            case "taken_back" -> new PoolLock.TakenBack(text(json, "at"), isFinal(json));
            case "foreign" -> new PoolLock.Foreign();
            case "absent" -> new PoolLock.Absent(maybeNumber(json, "since"), json.has("final") && isFinal(json));
            default -> throw new IllegalArgumentException("no such state of the pool's lock: " + text(json, "is"));
        };
    }

    private static boolean isFinal(JsonNode json) {
        return json.required("final").booleanValue();
    }

    private static String text(JsonNode json, String member) {
        String text = json.required(member).textValue();
        if (text == null) {
            throw new IllegalArgumentException(member + " is no text");
        }
        return text;
    }

    private static Optional<String> maybe(JsonNode json, String member) {
        return json.has(member) ? Optional.of(text(json, member)) : Optional.empty();
    }

    private static OptionalLong maybeNumber(JsonNode json, String member) {
        return json.has(member) ? OptionalLong.of(number(json, member)) : OptionalLong.empty();
    }

    private static long number(JsonNode json, String member) {
        JsonNode number = json.required(member);
        if (!number.canConvertToLong()) {
            throw new IllegalArgumentException(member + " is no number");
        }
        return number.longValue();
    }
}
