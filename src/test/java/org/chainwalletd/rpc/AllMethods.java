package org.chainwalletd.rpc;

import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.rpc.method.MethodFamilies;

/** All methods of the daemon without services: sufficient to describe them, not to call them. */
public final class AllMethods {
    static final String VERSION = "0.0.0";

    private AllMethods() {}

    public static MethodRegistry registry() {
        return MethodFamilies.withoutServices(ChainProfile.of("chain"), VERSION).registry();
    }
}
