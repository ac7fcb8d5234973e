package org.chainwalletd.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ConsolePageTest extends WithServer {
    private static final String GET = "GET /console HTTP/1.1\r\nHost: x\r\n\r\n";

    @Test
    void without_the_switch_there_is_no_such_path() throws Exception {
        RawClient client = startAndConnect(ServerFixture.LIMITS);
        assertThat(client.send(GET).read().status()).isEqualTo(404);
    }

    @Test
    void only_the_script_and_the_style_of_the_page_itself_may_run() throws Exception {
        HttpServer.Place place = ServerFixture.place(Optional.empty(), true);
        fixture = new ServerFixture(datadir, ServerFixture.LIMITS, place, List.of());
        RawClient client = fixture.client();
        RawClient.Response page = client.send(GET).read();

        assertThat(page.status()).isEqualTo(200);
        assertThat(page.header("content-type")).isEqualTo("text/html; charset=UTF-8");
        assertThat(page.header("content-security-policy"))
                .isEqualTo("default-src 'none'; script-src '" + digest(page.text(), "script") + "'; style-src '"
                        + digest(page.text(), "style")
                        + "'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
        assertThat(page.header("cache-control")).isEqualTo("no-store");
        // An attribute `style` would be blocked without a visible error.
        assertThat(page.text()).doesNotContain(" style=");
        assertThat(page.text())
                .as("no outside resource, nothing kept")
                .doesNotContain("src=", "href=", "@import", "url(", "localStorage", "sessionStorage", "document.cookie")
                .doesNotContain("innerHTML", "eval(");
    }

    @Test
    void the_meters_that_it_reads_are_there_for_a_token_beside_a_listener_of_their_own() throws Exception {
        HttpServer.Place place = ServerFixture.place(Optional.of(ServerFixture.LOOPBACK), true);
        fixture = new ServerFixture(datadir, ServerFixture.LIMITS, place, List.of());
        RawClient client = fixture.client();
        assertThat(client.send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
                        .read()
                        .status())
                .isEqualTo(401);
    }

    /** WCAG 2.2, success criteria 1.4.3 (text) and 1.4.11 (bars, lines of charts, borders of fields). */
    @Test
    void the_colours_of_both_themes_have_enough_contrast() throws Exception {
        String page =
                new String(HttpServer.class.getResourceAsStream("console.html").readAllBytes(), StandardCharsets.UTF_8);
        List<Map<String, String>> themes = Pattern.compile(":root \\{ (.*?) \\}")
                .matcher(page)
                .results()
                .map(theme -> Pattern.compile("--([a-z-]+): (#[0-9a-f]{6})")
                        .matcher(theme.group(1))
                        .results()
                        .collect(Collectors.toMap(colour -> colour.group(1), colour -> colour.group(2))))
                .toList();
        assertThat(themes).hasSize(2);
        for (Map<String, String> theme : themes) {
            for (String text : List.of("ink", "soft", "one", "good", "bad")) {
                for (String ground : List.of("card", "paper")) {
                    assertThat(contrast(theme.get(text), theme.get(ground)))
                            .as("%s on %s", text, ground)
                            .isGreaterThanOrEqualTo(4.5);
                }
            }
            assertThat(contrast(theme.get("on-one"), theme.get("one"))).isGreaterThanOrEqualTo(4.5);
            for (String part : List.of("one", "two", "edge")) {
                assertThat(contrast(theme.get(part), theme.get("card")))
                        .as(part)
                        .isGreaterThanOrEqualTo(3);
            }
        }
    }

    private static double contrast(String one, String other) {
        double a = luminance(one);
        double b = luminance(other);
        return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    }

    private static double luminance(String colour) {
        double[] shares = {0.2126, 0.7152, 0.0722};
        double sum = 0;
        for (int i = 0; i < 3; i++) {
            double part = Integer.parseInt(colour.substring(1 + 2 * i, 3 + 2 * i), 16) / 255.0;
            sum += shares[i] * (part <= 0.04045 ? part / 12.92 : Math.pow((part + 0.055) / 1.055, 2.4));
        }
        return sum;
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
