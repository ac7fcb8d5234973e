package org.chainwalletd.boot;

import java.util.concurrent.Executor;
import org.chainwalletd.config.Settings;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.books.Books;

/**
 * Connections and stores that the services use; all are open before the first service starts.
 *
 * @param books contain all {@link Following#tables}
 */
record Resources(DaemonContext context, ExternalServices external, Keyring keyring, Store store, Books books) {
    Settings settings() {
        return context.settings();
    }

    Nodes nodes() {
        return external.nodes();
    }

    Workers workers() {
        return context.workers();
    }

    Executor upstream() {
        return context.workers().upstream();
    }
}
