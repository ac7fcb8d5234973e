package org.chainwalletd.blackbox;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The packaged daemon dies at each step of buys: our lock is in the contract, the claim on the chain. */
@Tag("long")
class SwapBuyCrashIT {
    @TempDir
    Path folder;

    @Test
    void buys_end_well_wherever_the_daemon_dies() {
        try (SwapGround ground = new SwapGround()) {
            (SwapWalk.EVERYWHERE ? everywhere() : onEitherSideOfTheReveal())
                    .walk(ground, folder.resolve("datadir"), false);
        }
    }

    /** The lock has left and the swap does not know; the secret counts as shown and nothing has left. */
    private static SwapWalk onEitherSideOfTheReveal() {
        return SwapWalk.ofBuys().thePoolLocks().fresh("ACCOUNT_AFTER_SEND").next("SWAP_AFTER_WRITE", "CLAIMING");
    }

    private static SwapWalk everywhere() {
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
}
