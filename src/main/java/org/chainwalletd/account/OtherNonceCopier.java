package org.chainwalletd.account;

import static org.chainwalletd.stage.Blocking.await;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.account.endpoints.AccountChain.EndpointAnswer;
import org.chainwalletd.account.endpoints.AccountException;
import org.chainwalletd.account.endpoints.BlockRef;
import org.chainwalletd.account.endpoints.GasPrice;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.AccountSend.Version;
import org.chainwalletd.store.AccountSendStore.Journalled;
import org.chainwalletd.store.files.CrashPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes copies of a claim or a refund at other nonces, and journals each copy before it is sent. */
final class OtherNonceCopier {
    private static final Logger LOG = LoggerFactory.getLogger(OtherNonceCopier.class);

    private final SendSetup setup;

    OtherNonceCopier(SendSetup setup) {
        this.setup = setup;
    }

    /**
     * Asks each endpoint for its next nonce of an address; never fails. An endpoint that has a receipt of one of {@code rows} is left out, because
     * its count includes that transaction.
     *
     * @param rows a send and its copies
     */
    CompletionStage<List<EndpointAnswer<Long>>> reportedNonces(List<AccountSend> rows) {
        EvmAddress from = SendSetup.payer(rows.get(0));
        return setup.chain().pressing().each(reads -> {
            long count = reads.transactionCount(from, BlockRef.Tag.LATEST);
            if (hashesBelow(count, rows).stream()
                    .anyMatch(hash -> reads.receipt(hash).isPresent())) {
                throw new IllegalStateException("its transaction count includes this send");
            }
            return count;
        });
    }

    private static List<Hash256> hashesBelow(long count, List<AccountSend> rows) {
        return rows.stream()
                .filter(row -> row.nonce() < count)
                .flatMap(row -> row.versions().stream())
                .map(Version::hash)
                .toList();
    }

    /**
     * Copies a send, one row for each nonce. A copy that is already in the journal is returned unchanged; one that is over or could not be written
     * is left out. Copies keep the age of the original, and therefore its fee schedule.
     *
     * @param versions versions whose prices the copies get
     */
    List<AccountSend> copy(AccountSend row, List<Version> versions, Collection<Long> nonces) {
        List<AccountSend> copies = new ArrayList<>();
        for (long nonce : nonces) {
            try {
                journal(sign(row, versions, nonce)).ifPresent(copies::add);
            } catch (RuntimeException e) {
                LOG.atLevel(Background.levelOf(e))
                        .log("{} is not copied to nonce {}: {}", row.reference(), nonce, AccountException.words(e));
            }
        }
        return List.copyOf(copies);
    }

    private AccountSend sign(AccountSend row, List<Version> versions, long nonce) {
        AccountSend.Call call = row.call().at(nonce);
        long now = setup.clock().millis();
        return new AccountSend(
                AccountSend.NEW,
                row.order().copy(row.reference() + "@" + nonce),
                call,
                versions.stream()
                        .sorted(Comparator.comparing(Version::maxFee))
                        .map(version -> setup.version(call, new GasPrice(version.tip(), version.maxFee()), now))
                        .toList(),
                new AccountSend.Progress(
                        AccountSend.State.JOURNALLED,
                        Optional.empty(),
                        row.progress().createdAt(),
                        now));
    }

    private Optional<AccountSend> journal(AccountSend copy) {
        CrashPoint.ACCOUNT_BEFORE_ROW.reached(() -> copy.order().kind());
        Journalled written = await(setup.store().open(List.of(copy)));
        CrashPoint.ACCOUNT_AFTER_ROW.reached(() -> copy.order().kind());
        AccountSend row =
                written instanceof Journalled.Done done ? done.sends().get(0) : ((Journalled.Taken) written).by();
        return Optional.of(row).filter(found -> found.isCopy() && !found.state().isOver());
    }
}
