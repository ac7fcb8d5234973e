package org.chainwalletd.blackbox;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The packaged daemon dies at each step of swaps in either direction; by default only just before and just after the reveal. */
@Tag("long")
class SwapCrashIT {
    @TempDir
    Path folder;

    /** Our lock is in the contract, the claim on the chain. */
    @Test
    void buys_end_well_wherever_the_daemon_dies() {
        try (SwapGround ground = new SwapGround()) {
            (SwapWalk.EVERYWHERE ? everywhereInBuys() : onEitherSideOfTheRevealInBuys())
                    .walk(ground, folder.resolve("datadir"), false);
        }
    }

    /** Our lock is on the chain, the claim on the account chain. */
    @Test
    void sells_end_well_wherever_the_daemon_dies() {
        try (SwapGround ground = new SwapGround()) {
            (SwapWalk.EVERYWHERE ? everywhereInSells() : onEitherSideOfTheRevealInSells())
                    .walk(ground, folder.resolve("datadir"), true);
        }
    }

    /** The lock was sent without the swap's knowledge; the secret counts as revealed although nothing was sent. */
    private static SwapWalk onEitherSideOfTheRevealInBuys() {
        return SwapWalk.ofBuys().thePoolLocks().fresh("ACCOUNT_AFTER_SEND").next("SWAP_AFTER_WRITE", "CLAIMING");
    }

    private static SwapWalk onEitherSideOfTheRevealInSells() {
        return SwapWalk.ofSells().thePoolLocks().fresh("SPEND_AFTER_BROADCAST").next("SWAP_AFTER_WRITE", "CLAIMING");
    }

    private static SwapWalk everywhereInBuys() {
        return SwapWalk.ofBuys()
                .fresh("SWAP_BEFORE_WRITE", "LOCKING")
                .fresh("SWAP_AFTER_WRITE", "LOCKING")
                .fresh("ACCOUNT_BEFORE_ROW")
                .fresh("ACCOUNT_AFTER_ROW")
                .fresh("ACCOUNT_AFTER_SEND")
                .fresh("ACCOUNT_AFTER_STATE@LOCK:SENT")
                .fresh("SWAP_AFTER_STEP", "SendLock")
                .fresh("SWAP_AFTER_WRITE", "LOCKING#2")
                .fresh("SWAP_BEFORE_WRITE", "USER_LOCKED")
                .fresh("SWAP_AFTER_WRITE", "USER_LOCKED")
                .thePoolLocks()
                .next("SWAP_BEFORE_WRITE", "POOL_LOCKED")
                .next("SWAP_AFTER_WRITE", "POOL_LOCKED")
                .next("SWAP_BEFORE_WRITE", "CLAIMING")
                .next("SWAP_AFTER_WRITE", "CLAIMING")
                .fresh("SPEND_BEFORE_INTENT")
                .fresh("SPEND_AFTER_INTENT")
                .fresh("SPEND_AFTER_BROADCAST")
                .fresh("SWAP_AFTER_STEP", "Reveal")
                .fresh("SWAP_BEFORE_STEP", "PushClaim");
    }

    private static SwapWalk everywhereInSells() {
        return SwapWalk.ofSells()
                .fresh("SWAP_BEFORE_WRITE", "QUOTED")
                .fresh("SWAP_AFTER_WRITE", "QUOTED")
                .fresh("SWAP_BEFORE_WRITE", "LOCKING")
                .fresh("SWAP_AFTER_WRITE", "LOCKING")
                .next("SWAP_BEFORE_STEP", "SendLock")
                .fresh("SPEND_BEFORE_INTENT")
                .fresh("SPEND_AFTER_INTENT")
                .fresh("SPEND_AFTER_BROADCAST")
                .fresh("SWAP_AFTER_STEP", "SendLock")
                .fresh("SWAP_AFTER_WRITE", "LOCKING#2")
                .fresh("SWAP_BEFORE_WRITE", "USER_LOCKED")
                .fresh("SWAP_AFTER_WRITE", "USER_LOCKED")
                .thePoolLocks()
                .next("SWAP_BEFORE_WRITE", "POOL_LOCKED")
                .next("SWAP_AFTER_WRITE", "POOL_LOCKED")
                .next("SWAP_BEFORE_WRITE", "CLAIMING")
                .next("SWAP_AFTER_WRITE", "CLAIMING")
                .fresh("ACCOUNT_BEFORE_ROW")
                .fresh("ACCOUNT_AFTER_ROW")
                .fresh("ACCOUNT_AFTER_SEND")
                .fresh("ACCOUNT_AFTER_STATE@CLAIM:SENT")
                .fresh("SWAP_AFTER_STEP", "Reveal")
                .fresh("SWAP_BEFORE_STEP", "PushClaim")
                .fresh("ACCOUNT_AFTER_STATE@CLAIM:MINED")
                .fresh("SWAP_BEFORE_WRITE", "COMPLETED")
                .fresh("ACCOUNT_AFTER_STATE@CLAIM:FINAL")
                .fresh("SWAP_AFTER_WRITE", "COMPLETED");
    }
}
