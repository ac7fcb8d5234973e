package org.chainwalletd.testkit.evm;

import java.net.URI;
import org.junit.jupiter.api.extension.RegisterExtension;

class HashTimeLockTest extends HashTimeLockContract {
    @RegisterExtension
    final EvmDevnetExtension evm = new EvmDevnetExtension();

    @Override
    protected URI chain() {
        return evm.chain().uri();
    }
}
