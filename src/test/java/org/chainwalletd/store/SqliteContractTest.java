package org.chainwalletd.store;

import java.nio.file.Path;

class SqliteContractTest extends StoreContract {
    @Override
    Store open(Path folder) {
        return SqliteStore.open(folder);
    }
}
