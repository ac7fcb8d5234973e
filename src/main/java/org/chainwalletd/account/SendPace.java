package org.chainwalletd.account;

import java.time.Duration;

/**
 * How often and how much at once.
 *
 * @param look time between two looks at what is not final
 * @param resend time after which what is in no block goes out again, the same bytes
 * @param stuck time, and {@code stuckBlocks} blocks, after which the next transaction of an address pays more
 * @param urgent time after which an urgent one pays more
 * @param rise time after which the fee of a claim stands at its ceiling: half of the margin that must be left when its secret leaves
 * @param refused time after which what no endpoint was ever willing to take is given up, so that later nonces can go
 * @param mostOpen transactions that are not final
 * @param batch transactions that are made together
 * @param window transactions of an address that are sent again at a time, those with the lowest nonces
 */
public record SendPace(
        Duration look,
        Duration resend,
        Duration stuck,
        int stuckBlocks,
        Duration urgent,
        Duration rise,
        Duration refused,
        int mostOpen,
        int batch,
        int window) {
    public static final SendPace USUAL = new SendPace(
            Duration.ofSeconds(4),
            Duration.ofSeconds(15),
            Duration.ofSeconds(60),
            3,
            Duration.ofSeconds(30),
            Duration.ofMinutes(30),
            Duration.ofMinutes(10),
            4_096,
            64,
            64);

    /** The same, but for {@link #rise}. */
    public SendPace rising(Duration newRise) {
        return new SendPace(look, resend, stuck, stuckBlocks, urgent, newRise, refused, mostOpen, batch, window);
    }
}
