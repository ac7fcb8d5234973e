package org.chainwalletd.rpc;

import java.io.IOException;
import org.chainwalletd.cli.RpcMethodsTable;
import org.chainwalletd.testkit.GeneratedFile;
import org.junit.jupiter.api.Test;

class GeneratedReferenceTest {
    @Test
    void the_reference_page_is_what_the_registry_says() throws IOException {
        GeneratedFile.check("src/site/markdown/reference.md", ReferencePage.of(AllMethods.registry()));
    }

    @Test
    void the_launchers_table_of_methods_is_what_the_registry_says() throws IOException {
        GeneratedFile.check("src/main/launcher/lib/rpc-methods", RpcMethodsTable.text());
    }
}
