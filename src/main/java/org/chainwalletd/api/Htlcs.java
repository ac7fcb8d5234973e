package org.chainwalletd.api;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.wire.AmountOrMax;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.Inline;
import org.chainwalletd.wire.OneOrMore;
import org.chainwalletd.wire.OrNull;
import org.chainwalletd.wire.Title;
import org.chainwalletd.wire.U32;

/** Methods that lock, claim and reclaim, and methods that list HTLCs (interface.md, section 4.8). Amounts and fees are base units. */
public final class Htlcs {
    private Htlcs() {}

    /** State of an HTLC. */
    @Title("HtlcState")
    public enum State {
        LOCKED,
        /** The indexed height is above the timeout; a claim is still possible. */
        LOCKED_EXPIRED,
        CLAIMED,
        RECLAIMED,
        /** The lock was seen, but another transaction has spent its inputs. */
        UNKNOWN
    }

    /** Party whose keys this daemon has. */
    @Title("HtlcRole")
    public enum Role {
        SENDER,
        RECEIVER,
        BOTH,
        /** Neither party; only in records from an indexer. */
        OBSERVER
    }

    /** HTLC as returned by all these methods and in events (interface.md, section 2.8). */
    public record Htlc(
            Hash256 lockTxId,
            @U32 long outputIndex,
            Params params,
            Amount amount,

            @Doc("null while the lock is in no block") @OrNull
            OptionalLong lockBlockHeight,

            State state,

            @Doc("null while nobody has claimed it; also a claim that is in no block yet, whose preimage is public")
            @OrNull
            Optional<Claim> claim,

            @Doc("null while it was not taken back") @OrNull Optional<Reclaim> reclaim,

            @Doc(
                    "which party the keys of this daemon are; `observer`: only an indexer says that this HTLC exists, do not rest a payment on it")
            Role role,

            @Doc("of the followed tip") long lastIndexedHeight) {
        public record Params(
                @Doc("public key") PublicKey sender,
                @Doc("public key") PublicKey receiver,
                Hash256 hashLock,
                long timeoutHeight) {}

        @Title("HtlcClaimRecord")
        public record Claim(
                Hash256 txId,
                Bytes preimage,

                @Doc("null while it is in no block") @OrNull OptionalLong blockHeight,

                @U32 long inputIndex) {}

        @Title("HtlcReclaimRecord")
        public record Reclaim(
                Hash256 txId,

                @Doc("null while it is in no block") @OrNull OptionalLong blockHeight,

                @U32 long inputIndex) {}
    }

    /** Parameters common to a lock and its simulation. */
    public record Lock(
            @Doc("sender's address, a key of this daemon: funds the lock and may reclaim it")
            Address from,

            @Doc("receiver's public key, not its address") PublicKey receiver,

            @Doc("SHA-256 of the preimage") Hash256 hashLock,

            @Doc("absolute block height above which the sender may reclaim; one that has passed is accepted")
            long timeout,

            @Doc("base units, at least 200") Amount amount,

            @Doc("base units per 100 cost units; 1 is the consensus minimum and the default")
            OptionalLong feeRate,

            @Doc("absolute fee in base units; raised to the consensus minimum")
            Optional<Amount> fee,

            @Doc("refuse a higher fee; default 2000000") Optional<Amount> maxFee) {
        /**
         * Creates a lock at the minimum fee rate.
         *
         * @param timeout absolute block height
         */
        public static Lock of(Address from, PublicKey receiver, Hash256 hashLock, long timeout, Amount amount) {
            return new Lock(
                    from,
                    receiver,
                    hashLock,
                    timeout,
                    amount,
                    OptionalLong.empty(),
                    Optional.empty(),
                    Optional.empty());
        }

        public Lock withFeeRate(long changed) {
            return new Lock(from, receiver, hashLock, timeout, amount, OptionalLong.of(changed), fee, maxFee);
        }

        public Lock withFee(Amount changed) {
            return new Lock(from, receiver, hashLock, timeout, amount, feeRate, Optional.of(changed), maxFee);
        }

        public Lock withMaxFee(Amount changed) {
            return new Lock(from, receiver, hashLock, timeout, amount, feeRate, fee, Optional.of(changed));
        }
    }

    @Method(
            name = "htlc_lock",
            scope = Scope.SPEND,
            summary =
                    "Locks coins in an HTLC that the receiver can claim with the preimage and the sender can reclaim above the timeout"
                            + " height. With a client_token a repeated call settles the same lock and never makes a second one.",
            errors = {
                ErrorCode.WALLET_NOT_FOUND,
                ErrorCode.KEYSTORE_LOCKED,
                ErrorCode.UPSTREAM,
                ErrorCode.DOUBLE_SPEND,
                ErrorCode.TX_BUILD,
                ErrorCode.INSUFFICIENT_BALANCE,
                ErrorCode.FEE_TOO_HIGH,
                ErrorCode.DUST_OUTPUT,
                ErrorCode.IDEMPOTENCY_CONFLICT,
                ErrorCode.ALLOWANCE_EXCEEDED,
                ErrorCode.IN_FLIGHT_EXHAUSTED
            })
    public record HtlcLock(
            @Inline Lock lock,

            @Doc("8 to 128 printable ASCII characters; the same token never locks twice")
            Optional<String> clientToken,

            @Doc(
                    "at most 256 bytes, for list_spends; no part of the spend, so a repeated token may come with another one")
            Optional<String> memo)
            implements Spend<HtlcLock.Result> {
        @Override
        public Optional<String> idempotencyToken() {
            return clientToken;
        }

        /** Creates a call that locks at most once, however often it is repeated with this token. */
        public HtlcLock(Lock lock, String clientToken) {
            this(lock, Optional.of(clientToken), Optional.empty());
        }

        /** Reports the receiver's public key as the recipient. */
        @Override
        public Optional<Payees> payees() {
            return Optional.of(new Payees(
                    lock.from(), List.of(new Recipient(lock.receiver().hex(), AmountOrMax.of(lock.amount())))));
        }

        public HtlcLock withMemo(String changed) {
            return new HtlcLock(lock, clientToken, Optional.of(changed));
        }

        public record Result(
                Hash256 txId,

                @Doc("always 0; change, if any, is output 1") @U32
                long htlcOutputIndex,

                Amount amount,
                Hash256 hashLock,
                long timeout,
                PublicKey receiver,
                long size,

                @Doc("effective, with folded sub-dust change")
                Amount fee,

                @Doc("fee * 100 / cost") long feeRate,
                @Doc("tip when the coins were listed") long builtAtHeight,

                @Doc("base units that returned to `from`; absent when none did")
                Optional<Amount> change) {}
    }

    @Method(
            name = "simulate_htlc_lock",
            scope = Scope.READ,
            summary =
                    "Selects and prices a lock as it would be made now. Broadcasts and reserves nothing; takes no client_token.",
            errors = {
                ErrorCode.WALLET_NOT_FOUND,
                ErrorCode.UPSTREAM,
                ErrorCode.TX_BUILD,
                ErrorCode.INSUFFICIENT_BALANCE,
                ErrorCode.FEE_TOO_HIGH,
                ErrorCode.DUST_OUTPUT,
                ErrorCode.ALLOWANCE_EXCEEDED,
                ErrorCode.IN_FLIGHT_EXHAUSTED
            })
    public record SimulateHtlcLock(@Inline Lock lock) implements Call<SimulateHtlcLock.Result> {
        public record Result(
                long size,

                @Doc("effective, with folded sub-dust change")
                Amount fee,

                @Doc("fee * 100 / cost") long feeRate,

                @Doc("always 0; change, if any, is output 1") @U32
                long htlcOutputIndex,

                Amount amount,
                Hash256 hashLock,
                long timeout,
                PublicKey receiver,
                @Doc("amount + change + fee") Amount totalIn,
                @Doc("0 if none") Amount change,
                @Doc("tip when the coins were listed") long builtAtHeight) {}
    }

    /** Result common to claims and reclaims. */
    @Title("HtlcRedemption")
    public record Redeemed(
            Hash256 txId,
            @Doc("`claim` or `reclaim`") String kind,

            @Doc("what was locked less the fee, paid to `from`")
            Amount value,

            Amount fee,
            Hash256 lockTxId,
            @U32 long outputIndex,
            long size) {}

    @Method(
            name = "htlc_claim",
            scope = Scope.SPEND,
            summary =
                    "Claims an HTLC with its preimage. The output on the chain is compared byte for byte with the script that the"
                            + " parameters describe before anything is built.",
            errors = {
                ErrorCode.WALLET_NOT_FOUND,
                ErrorCode.KEYSTORE_LOCKED,
                ErrorCode.UPSTREAM,
                ErrorCode.DOUBLE_SPEND,
                ErrorCode.TX_BUILD,
                ErrorCode.FEE_TOO_HIGH,
                ErrorCode.IDEMPOTENCY_CONFLICT,
                ErrorCode.ALLOWANCE_EXCEEDED,
                ErrorCode.HTLC_OUTPUT_AUTH,
                ErrorCode.IN_FLIGHT_EXHAUSTED
            })
    public record HtlcClaim(
            @Doc("receiver's address, a key of this daemon; the funds land there")
            Address from,

            Hash256 lockTxId,
            @Doc("default 0") @U32 OptionalLong outputIndex,

            @Doc("hex, 1 to 1024 bytes; its SHA-256 is the hash lock. Public as soon as it is sent")
            Bytes preimage,

            @Doc("sender's public key") PublicKey sender,
            @Doc("the lock's timeout height") long timeout,

            @Doc(
                    "absolute fee in base units, not below the consensus minimum, which is the default; what it is above that counts against the spend"
                            + " allowance")
            Optional<Amount> fee,

            @Doc("refuse a higher fee; default 2000000") Optional<Amount> maxFee,

            @Doc("8 to 128 printable ASCII characters; the same token never claims twice")
            Optional<String> clientToken,

            @Doc(
                    "at most 256 bytes, for list_spends; no part of the spend, so a repeated token may come with another one")
            Optional<String> memo)
            implements Spend<Redeemed> {
        @Override
        public Optional<String> idempotencyToken() {
            return clientToken;
        }

        /**
         * Claims output 0 at the minimum fee.
         *
         * @param timeout timeout height of the lock
         */
        public static HtlcClaim of(Address from, Hash256 lockTxId, Bytes preimage, PublicKey sender, long timeout) {
            return new HtlcClaim(
                    from,
                    lockTxId,
                    OptionalLong.empty(),
                    preimage,
                    sender,
                    timeout,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty());
        }

        private HtlcClaim with(
                OptionalLong output,
                Optional<Amount> fixedFee,
                Optional<Amount> highestFee,
                Optional<String> token,
                Optional<String> words) {
            return new HtlcClaim(from, lockTxId, output, preimage, sender, timeout, fixedFee, highestFee, token, words);
        }

        public HtlcClaim withOutputIndex(long changed) {
            return with(OptionalLong.of(changed), fee, maxFee, clientToken, memo);
        }

        public HtlcClaim withFee(Amount changed) {
            return with(outputIndex, Optional.of(changed), maxFee, clientToken, memo);
        }

        public HtlcClaim withMaxFee(Amount changed) {
            return with(outputIndex, fee, Optional.of(changed), clientToken, memo);
        }

        public HtlcClaim withClientToken(String changed) {
            return with(outputIndex, fee, maxFee, Optional.of(changed), memo);
        }

        @Override
        public Optional<Payees> payees() {
            return Optional.of(new Payees(from, List.of()));
        }

        public HtlcClaim withMemo(String changed) {
            return with(outputIndex, fee, maxFee, clientToken, Optional.of(changed));
        }

        /** Omits the preimage, which is a secret until the claim is sent. */
        @Override
        public String toString() {
            return "claim of " + lockTxId + " by " + from;
        }
    }

    @Method(
            name = "htlc_reclaim",
            scope = Scope.SPEND,
            summary =
                    "Takes an HTLC back whose timeout height the chain has passed. The output on the chain is compared byte for byte"
                            + " with the script that the parameters describe before anything is built.",
            errors = {
                ErrorCode.WALLET_NOT_FOUND,
                ErrorCode.KEYSTORE_LOCKED,
                ErrorCode.UPSTREAM,
                ErrorCode.DOUBLE_SPEND,
                ErrorCode.TX_BUILD,
                ErrorCode.FEE_TOO_HIGH,
                ErrorCode.IDEMPOTENCY_CONFLICT,
                ErrorCode.ALLOWANCE_EXCEEDED,
                ErrorCode.HTLC_OUTPUT_AUTH,
                ErrorCode.TIMEOUT_NOT_REACHED,
                ErrorCode.IN_FLIGHT_EXHAUSTED
            })
    public record HtlcReclaim(
            @Doc("sender's address, a key of this daemon; the funds return there")
            Address from,

            Hash256 lockTxId,
            @Doc("default 0") @U32 OptionalLong outputIndex,
            @Doc("receiver's public key") PublicKey receiver,
            Hash256 hashLock,
            @Doc("the lock's timeout height") long timeout,

            @Doc(
                    "absolute fee in base units, not below the consensus minimum, which is the default; what it is above that counts against the spend"
                            + " allowance")
            Optional<Amount> fee,

            @Doc("refuse a higher fee; default 2000000") Optional<Amount> maxFee,

            @Doc("8 to 128 printable ASCII characters; the same token never reclaims twice")
            Optional<String> clientToken,

            @Doc(
                    "at most 256 bytes, for list_spends; no part of the spend, so a repeated token may come with another one")
            Optional<String> memo)
            implements Spend<Redeemed> {
        @Override
        public Optional<String> idempotencyToken() {
            return clientToken;
        }

        /**
         * Reclaims output 0 at the minimum fee.
         *
         * @param timeout timeout height of the lock
         */
        public static HtlcReclaim of(
                Address from, Hash256 lockTxId, PublicKey receiver, Hash256 hashLock, long timeout) {
            return new HtlcReclaim(
                    from,
                    lockTxId,
                    OptionalLong.empty(),
                    receiver,
                    hashLock,
                    timeout,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty());
        }

        private HtlcReclaim with(
                OptionalLong output,
                Optional<Amount> fixedFee,
                Optional<Amount> highestFee,
                Optional<String> token,
                Optional<String> words) {
            return new HtlcReclaim(
                    from, lockTxId, output, receiver, hashLock, timeout, fixedFee, highestFee, token, words);
        }

        public HtlcReclaim withOutputIndex(long changed) {
            return with(OptionalLong.of(changed), fee, maxFee, clientToken, memo);
        }

        public HtlcReclaim withFee(Amount changed) {
            return with(outputIndex, Optional.of(changed), maxFee, clientToken, memo);
        }

        public HtlcReclaim withMaxFee(Amount changed) {
            return with(outputIndex, fee, Optional.of(changed), clientToken, memo);
        }

        public HtlcReclaim withClientToken(String changed) {
            return with(outputIndex, fee, maxFee, Optional.of(changed), memo);
        }

        @Override
        public Optional<Payees> payees() {
            return Optional.of(new Payees(from, List.of()));
        }

        public HtlcReclaim withMemo(String changed) {
            return with(outputIndex, fee, maxFee, clientToken, Optional.of(changed));
        }
    }

    @Method(
            name = "htlc_status",
            scope = Scope.READ,
            summary =
                    "One HTLC: from the local index when a key of this daemon is a party, else from an indexer, as `observer`.",
            errors = {ErrorCode.WALLET_NOT_FOUND, ErrorCode.UPSTREAM})
    public record HtlcStatus(
            Hash256 lockTxId, @Doc("default 0") @U32 OptionalLong outputIndex) implements Call<Htlc> {
        public HtlcStatus(Hash256 lockTxId) {
            this(lockTxId, OptionalLong.empty());
        }
    }

    /** Role filter of {@code htlc_list}. */
    @Title("HtlcRoleFilter")
    public enum RoleFilter {
        SENDER,
        RECEIVER,
        BOTH,
        ANY
    }

    @Method(
            name = "htlc_list",
            scope = Scope.READ,
            summary =
                    "HTLCs in which keys of this daemon are parties, from the local index, page by page; with `address` and any role also"
                            + " those of which only an indexer knows, as `observer`.",
            errors = ErrorCode.UPSTREAM)
    public record HtlcList(
            @Doc(
                    "default `any`; compared with the record's role, so `sender` leaves out those of which both parties are own keys")
            Optional<RoleFilter> role,

            Optional<OneOrMore<State>> state,

            @Doc("only locks in blocks of this height or higher")
            OptionalLong sinceHeight,

            @Doc("default 100; more than 1000 counts as 1000") @U32
            OptionalLong limit,

            @Doc("`next_cursor` of the page before") Optional<String> cursor,

            @Doc("only those of which this address is a party")
            Optional<Address> address)
            implements Call<HtlcList.Result> {
        /** Lists all HTLCs, starting with the first page. */
        public static HtlcList of() {
            return new HtlcList(
                    Optional.empty(),
                    Optional.empty(),
                    OptionalLong.empty(),
                    OptionalLong.empty(),
                    Optional.empty(),
                    Optional.empty());
        }

        public HtlcList withRole(RoleFilter changed) {
            return new HtlcList(Optional.of(changed), state, sinceHeight, limit, cursor, address);
        }

        /** @param changed at least one state */
        public HtlcList withState(List<State> changed) {
            return new HtlcList(role, Optional.of(new OneOrMore<>(changed)), sinceHeight, limit, cursor, address);
        }

        public HtlcList withSinceHeight(long changed) {
            return new HtlcList(role, state, OptionalLong.of(changed), limit, cursor, address);
        }

        public HtlcList withLimit(long changed) {
            return new HtlcList(role, state, sinceHeight, OptionalLong.of(changed), cursor, address);
        }

        public HtlcList withCursor(String changed) {
            return new HtlcList(role, state, sinceHeight, limit, Optional.of(changed), address);
        }

        public HtlcList withAddress(Address changed) {
            return new HtlcList(role, state, sinceHeight, limit, cursor, Optional.of(changed));
        }

        public record Result(
                @Doc("ascending by lock height, lock transaction id and output index; locks in no block come last")
                List<Htlc> htlcs,

                @Doc("absent on the last page") Optional<String> nextCursor) {}
    }

    @Method(
            name = "htlc_lookup_by_hashlock",
            scope = Scope.READ,
            summary =
                    "Every HTLC of the local index that commits to a hash lock, and as `observer` those of which only an indexer knows."
                            + " Anybody may lock with a hash that is known: compare amount, parties and timeout.",
            errors = ErrorCode.UPSTREAM)
    public record HtlcLookupByHashlock(Hash256 hashLock) implements Call<HtlcLookupByHashlock.Result> {
        public record Result(List<Htlc> htlcs) {}
    }

    @Method(
            name = "htlc_forget",
            scope = Scope.MANAGE,
            summary =
                    "Removes a claimed, reclaimed or unknown HTLC from the local index. It comes back when a reorganisation takes the"
                            + " block away that settled it.")
    public record HtlcForget(
            Hash256 lockTxId, @Doc("default 0") @U32 OptionalLong outputIndex) implements Call<HtlcForget.Result> {
        public HtlcForget(Hash256 lockTxId) {
            this(lockTxId, OptionalLong.empty());
        }

        public record Result(
                @Doc("false when there is no such record") boolean removed) {}
    }
}
