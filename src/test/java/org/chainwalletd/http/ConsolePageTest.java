package org.chainwalletd.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class ConsolePageTest {
    private static final String GET = "GET /console HTTP/1.1\r\nHost: x\r\n\r\n";

    @TempDir
    Path datadir;

    @Test
    void without_the_switch_there_is_no_such_path() throws Exception {
        try (ServerFixture fixture = new ServerFixture(datadir, ServerFixture.LIMITS);
                RawClient client = fixture.client()) {
            assertThat(client.send(GET).read().status()).isEqualTo(404);
        }
    }

    @Test
    void only_the_script_and_the_style_of_the_page_itself_may_run() throws Exception {
        HttpServer.Place place = new HttpServer.Place(
                ServerFixture.LOOPBACK, List.of(), Optional.empty(), true, Optional.empty(), Optional.empty());
        try (ServerFixture fixture = new ServerFixture(datadir, ServerFixture.LIMITS, place, List.of());
                RawClient client = fixture.client()) {
            RawClient.Response page = client.send(GET).read();

            assertThat(page.status()).isEqualTo(200);
            assertThat(page.header("content-type")).isEqualTo("text/html; charset=UTF-8");
            assertThat(page.header("content-security-policy"))
                    .isEqualTo("default-src 'none'; script-src '" + digest(page.text(), "script") + "'; style-src '"
                            + digest(page.text(), "style")
                            + "'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
            assertThat(page.header("cache-control")).isEqualTo("no-store");
            assertThat(page.text())
                    .as("no outside resource, nothing kept")
                    .doesNotContain(
                            "src=", "href=", "@import", "url(", "localStorage", "sessionStorage", "document.cookie")
                    .doesNotContain("innerHTML", "eval(");
        }
    }

    private static String digest(String page, String element) throws Exception {
        Matcher content = Pattern.compile("<" + element + ">(.*?)</" + element + ">", Pattern.DOTALL)
                .matcher(page);
        assertThat(content.find()).isTrue();
        byte[] digest =
                MessageDigest.getInstance("SHA-256").digest(content.group(1).getBytes(StandardCharsets.UTF_8));
        return "sha256-" + Base64.getEncoder().encodeToString(digest);
    }
}
