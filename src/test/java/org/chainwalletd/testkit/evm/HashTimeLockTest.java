package org.chainwalletd.testkit.evm;

import java.net.URI;
import org.junit.jupiter.api.AutoClose;

class HashTimeLockTest extends HashTimeLockContract {
    @AutoClose
    final EvmDevnet evm = EvmDevnet.start();

    @Override
    protected URI chain() {
        return evm.uri();
    }
}
