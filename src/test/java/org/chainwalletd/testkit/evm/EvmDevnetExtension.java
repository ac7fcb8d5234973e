package org.chainwalletd.testkit.evm;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A fresh account chain for each test:
 *
 * <pre>{@code @RegisterExtension final EvmDevnetExtension evm = new EvmDevnetExtension();}</pre>
 */
public final class EvmDevnetExtension implements BeforeEachCallback, AfterEachCallback {
    private EvmDevnet chain;

    @Override
    public void beforeEach(ExtensionContext context) {
        chain = EvmDevnet.start();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        if (chain != null) {
            chain.close();
        }
    }

    public EvmDevnet chain() {
        return chain;
    }
}
