package org.chainwalletd.account;

import org.chainwalletd.account.SendRecord.SendState;
import org.chainwalletd.account.SendRequest.SendKind;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.AccountSend.Outcome;

/** Turns rows of the journal into the records that callers see. */
final class SendRecords {
    private SendRecords() {}

    /** @param head height of the chain as it was last seen */
    static SendRecord of(AccountSend row, long head) {
        return of(row, state(row, head));
    }

    static SendRecord missing(AccountSend row) {
        return of(row, new SendState.Missing());
    }

    private static SendRecord of(AccountSend row, SendState state) {
        AccountSend.Order order = row.order();
        AccountSend.Call call = row.call();
        return new SendRecord(
                new SendRecord.Order(order.reference(), SendKind.valueOf(order.kind()), order.owner(), row.isCopy()),
                new SendRecord.Call(
                        SendSetup.address(call.from()),
                        SendSetup.address(call.to()),
                        call.value(),
                        call.nonce(),
                        call.gasLimit()),
                row.newest().maxFee(),
                row.versions().stream().map(AccountSend.Version::hash).toList(),
                row.versions().stream()
                        .filter(version -> !version.cancels())
                        .reduce((older, newer) -> newer)
                        .orElseThrow()
                        .hash(),
                state,
                row.progress().createdAt(),
                row.progress().changedAt());
    }

    private static SendState state(AccountSend row, long head) {
        return switch (row.state()) {
            case JOURNALLED -> row.newest().cancels() ? new SendState.Cancelling() : new SendState.Journalled();
            case SENT -> row.newest().cancels() ? new SendState.Cancelling() : new SendState.Sent();
            case MINED -> mined(row, row.progress().outcome().orElseThrow(), head);
            case FINAL -> {
                Outcome outcome = row.progress().outcome().orElseThrow();
                yield new SendState.Final(outcome.hash(), outcome.blockNumber(), outcome.blockHash());
            }
            case REVERTED -> {
                Outcome outcome = row.progress().outcome().orElseThrow();
                yield new SendState.Reverted(outcome.hash(), outcome.blockNumber(), outcome.blockHash());
            }
            case CANCELLED -> {
                Outcome outcome = row.progress().outcome().orElseThrow();
                yield new SendState.Cancelled(outcome.hash(), outcome.blockNumber(), outcome.blockHash());
            }
            case LOST -> new SendState.Lost();
        };
    }

    /** A version to ourselves in a block is no success of what was asked for. */
    private static SendState mined(AccountSend row, Outcome outcome, long head) {
        return cancels(row, outcome)
                ? new SendState.Cancelling()
                : new SendState.Mined(
                        outcome.hash(),
                        outcome.blockNumber(),
                        outcome.blockHash(),
                        Math.max(0, head - outcome.blockNumber()),
                        outcome.succeeded());
    }

    /** The state of a row whose transaction is in a block. */
    static AccountSend.State stateOf(AccountSend row, Outcome outcome, boolean isFinal) {
        if (!isFinal) {
            return AccountSend.State.MINED;
        }
        if (cancels(row, outcome)) {
            return AccountSend.State.CANCELLED;
        }
        return outcome.succeeded() ? AccountSend.State.FINAL : AccountSend.State.REVERTED;
    }

    private static boolean cancels(AccountSend row, Outcome outcome) {
        return row.versions().stream()
                .anyMatch(version -> version.cancels() && version.hash().equals(outcome.hash()));
    }
}
