package org.chainwalletd.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.logging.Level;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.LauncherCall;
import org.chainwalletd.testkit.ManualClock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.ExpectedConditions;
import org.openqa.selenium.support.ui.WebDriverWait;

/**
 * The console in headless Chromium, over the packaged daemon on a development chain whose last day had payments in every hour. Needs Debian's
 * {@code chromium} and {@code chromium-driver}; has a command of its own (testing.md). {@code -Dscreenshots=folder} keeps the pictures of the
 * manual.
 */
@Tag("long")
class ConsoleIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int WIDE = 1440;
    private static final int PHONE = 390;
    private static final int HOURS = 22;
    private static final String OUTSIDER = "ab".repeat(32);

    @TempDir
    private static Path folder;

    private static final ManualClock clock =
            new ManualClock(Instant.now().minus(Duration.ofHours(HOURS)).minus(Duration.ofMinutes(30)));
    private static Devnet chain;
    private static DaemonProcess daemon;
    private static String treasury;
    private static String shop;
    private static long deposits;
    private static long payments;
    /** Spends that no block has yet. */
    private static long unconfirmed;

    /** Of the last hour. */
    private static long recentDeposits;

    private static long recentlyDeposited;
    private static long recentPayments;

    private ChromeDriver browser;
    private WebDriverWait wait;

    @BeforeAll
    static void begin() throws IOException {
        chain = Devnet.start(DevnetConfig.onDemand(ChainProfile.of("chain"))
                .withFirstBlocks(300)
                .withClock(clock));
        daemon = LauncherCall.daemon(folder.resolve("datadir"))
                .node(chain.uri())
                .and("--console", "--spend-cap-per-period", "2500000000")
                .start();
        treasury = address("treasury");
        shop = address("shop");
        String till = address("till");
        for (int i = 0; i < 4; i++) {
            fund(treasury, 1_250_000_000);
        }
        mine();
        Random random = new Random(7);
        for (int hour = 0; hour < HOURS; hour++) {
            for (int i = random.nextInt(5); i > 0; i--) {
                fund(random.nextBoolean() ? shop : till, 1_000_000L * (1 + random.nextInt(60)));
            }
            awaitFollowed();
            for (int i = random.nextInt(4); i > 0; i--) {
                pay(1_000_000L * (1 + random.nextInt(80)));
            }
            mine();
            clock.advance(Duration.ofHours(1));
        }
        clock.set(Instant.now());
        fund(shop, 12_345_678);
        awaitFollowed();
        daemon.call(
                "htlc_lock",
                Map.of(
                        "from",
                        treasury,
                        "receiver",
                        daemon.call("generate_standard_address", Map.of("label", "partner"))
                                .get("pubkey")
                                .textValue(),
                        "hash_lock",
                        "ab".repeat(32),
                        "timeout",
                        5000,
                        "amount",
                        70_000_000));
        unconfirmed++;
        mine();
        awaitFollowed();
        String poor = address("wages");
        for (int i = 0; i < 3; i++) {
            daemon.call(
                    "payout_submit",
                    Map.of(
                            "payouts",
                            List.of(Map.of("payout_id", "wages-000" + i, "to", OUTSIDER, "amount", 1_000_000)),
                            "from",
                            Map.of("addresses", List.of(poor))));
        }
        Await.until("the payouts wait for coins", () -> daemon.metric("walletd_payouts_waiting{for=\"coins\"}") == 3);
    }

    private static String address(String label) {
        return daemon.call("generate_standard_address", Map.of("label", label))
                .get("address")
                .textValue();
    }

    private static void fund(String address, long amount) {
        chain.faucet(Address.parse(address), Amount.of(amount));
        mine();
        deposits++;
        if (isRecent()) {
            recentDeposits++;
            recentlyDeposited += amount;
        }
    }

    /** The block takes every payment that waits in the mempool. */
    private static void mine() {
        chain.mine(1);
        payments += unconfirmed;
        if (isRecent()) {
            recentPayments += unconfirmed;
        }
        unconfirmed = 0;
    }

    /** One payment waits in the mempool, whichever tests have run before: the block of another deposit would have taken it. */
    private static void haveOneUnconfirmed() {
        if (unconfirmed == 0) {
            pay(5_000);
        }
    }

    private static boolean isRecent() {
        return clock.instant().isAfter(Instant.now().minus(Duration.ofMinutes(30)));
    }

    private static void pay(long amount) {
        daemon.call("transfer", Map.of("from", treasury, "outputs", List.of(Map.of("to", OUTSIDER, "amount", amount))));
        unconfirmed++;
    }

    private static void awaitFollowed() {
        String tip = chain.tip().id().hex();
        Await.until(
                "the daemon follows",
                () -> daemon.call("get_follower_status", Map.of())
                        .path("last_indexed_block_id")
                        .asText()
                        .equals(tip));
    }

    @AfterAll
    static void end() {
        if (daemon != null) {
            daemon.close();
        }
        if (chain != null) {
            chain.close();
        }
    }

    @BeforeEach
    void open() {
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        ChromeOptions options = new ChromeOptions()
                .setBinary("/usr/bin/chromium")
                .addArguments(
                        "--headless=new",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--hide-scrollbars",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync");
        options.setCapability("goog:loggingPrefs", logs);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(new File("/usr/bin/chromedriver"))
                .usingAnyFreePort()
                .build();
        browser = new ChromeDriver(service, options);
        wait = new WebDriverWait(browser, PATIENCE);
    }

    @AfterEach
    void close() {
        browser.quit();
    }

    /** The width in CSS pixels, whatever windows a browser can have. */
    private void width(int pixels, int height) {
        browser.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", pixels, "height", height, "deviceScaleFactor", 1, "mobile", pixels == PHONE));
    }

    private void theme(String name) {
        browser.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", name))));
    }

    private void logIn() {
        browser.get(daemon.awaitReady().resolve("/console").toString());
        browser.findElement(By.id("token")).sendKeys(daemon.token("read"), Keys.ENTER);
        wait.until(ExpectedConditions.textToBe(By.id("state"), "live"));
        wait.until(driver -> !text("balance").equals("–"));
    }

    private String text(String id) {
        return browser.findElement(By.id(id)).getText();
    }

    private JsonNode measured(String script) {
        try {
            return new ObjectMapper().readTree((String) browser.executeScript("return JSON.stringify(" + script + ")"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void a_day_of_payments_is_told_as_it_was() {
        haveOneUnconfirmed();
        width(WIDE, 1000);
        logIn();
        JsonNode wallet = daemon.call("get_wallet_balance", Map.of("utxos", false));
        assertThat(coins(text("balance"))).isEqualTo(wallet.get("total").longValue());
        assertThat(text("balance-note")).isEqualTo("coins at 5 addresses");
        assertThat(text("deposits")).isEqualTo(String.valueOf(recentDeposits));
        assertThat(coins(text("deposits-note").replace(" coins", ""))).isEqualTo(recentlyDeposited);
        assertThat(text("payments")).isEqualTo(String.valueOf(recentPayments));
        wait.until(driver -> text("oldest").matches("\\d+ (s|min)"));
        assertThat(text("oldest-note")).isEqualTo("1 payment in flight");
        assertThat(coins(text("left")))
                .isEqualTo(daemon.call("allowance_status", Map.of())
                        .get("remaining")
                        .longValue());
        assertThat(text("lag")).isEqualTo("0 blocks");
        assertThat(text("ready")).isEqualTo("Ready: the daemon receives and pays");
        assertThat(text("labels")).contains("treasury", "shop", "till", "partner");
        assertThat(text("nodes")).contains("answers");
        assertThat(text("htlcs")).contains("locked", "5,000", "0.7");
        assertThat(text("spends")).contains("confirmed");
        assertThat(text("payouts")).contains("3 payouts; the oldest has waited", "coins of the paying addresses");

        assertThat(browser.findElements(By.cssSelector("#history-chart path"))).hasSize(2);
        assertThat(browser.findElements(By.cssSelector("#hours-chart rect"))).hasSizeGreaterThan(20);
        // They are drawn anew for another width.
        width(1_100, 1_000);
        wait.until(driver -> measured("document.querySelector('#hours-chart svg').clientWidth")
                        .asInt()
                < 550);
        width(WIDE, 1_000);
        wait.until(driver -> measured("document.querySelector('#hours-chart svg').clientWidth")
                        .asInt()
                > 600);
        for (String chart : List.of("history-chart", "hours-chart")) {
            String words = measured(
                            "[...document.querySelectorAll('#" + chart + " text')].map(t => t.textContent).join(' ')")
                    .asText();
            assertThat(words).as("both axes have their numbers and times").contains("0", ":00");
        }
        assertThat(text("history-note")).matches("\\d+ h .*, your local time");
        browser.findElements(By.tagName("summary")).forEach(WebElement::click);
        assertThat(total("#hours-rows td:nth-of-type(1)")).isEqualTo(deposits);
        assertThat(total("#hours-rows td:nth-of-type(3)")).isEqualTo(payments);
    }

    private static long coins(String text) {
        return new java.math.BigDecimal(text.replace(",", "")).movePointRight(8).longValueExact();
    }

    private long total(String cells) {
        return browser.findElements(By.cssSelector(cells)).stream()
                .mapToLong(cell -> Long.parseLong(cell.getText()))
                .sum();
    }

    @Test
    void events_come_as_words_and_lead_to_their_transactions() {
        width(WIDE, 1000);
        logIn();
        wait.until(driver -> text("events").contains("Listening"));
        fund(shop, 250_000_000);
        wait.until(driver -> text("events").contains("2.5 coins for " + shop.substring(0, 10)));
        wait.until(driver -> text("deposits").equals(String.valueOf(recentDeposits)));
        assertThat(text("events")).doesNotContain("{", "\"");

        WebElement link = browser.findElement(By.cssSelector("#events li:has(button) button"));
        String txId = link.getDomAttribute("title");
        link.sendKeys(Keys.ENTER);
        wait.until(driver -> text("details-body").contains(txId));
        assertThat(text("details-body")).contains("in block", "fee", "outputs").doesNotContain("{", "\"");
        assertThat(browser.switchTo().activeElement().getText()).isEqualTo("Close");
        browser.switchTo().activeElement().sendKeys(Keys.ESCAPE);
        wait.until(driver -> !driver.findElement(By.id("details")).isDisplayed());
        assertThat(browser.switchTo().activeElement()).isEqualTo(link);
        assertThat(errors()).isEmpty();
    }

    @Test
    void on_a_wide_screen_no_row_of_the_grid_has_a_hole() {
        width(WIDE, 1000);
        logIn();
        JsonNode sections = measured("[...document.querySelectorAll('main > section')].filter(s => !s.hidden)"
                + ".map(s => s.getBoundingClientRect()).map(r => [r.left, r.top, r.right, r.bottom].map(Math.round))");
        Map<Integer, List<JsonNode>> rows = new java.util.TreeMap<>();
        sections.forEach(place -> rows.computeIfAbsent(place.get(1).asInt(), top -> new ArrayList<>())
                .add(place));
        assertThat(rows).hasSizeGreaterThan(5);
        int left = sections.get(0).get(0).asInt();
        int right = sections.get(0).get(2).asInt();
        int gap = 13;
        rows.values().forEach(row -> {
            int at = left;
            for (JsonNode place : row) {
                assertThat(place.get(0).asInt()).as("in a row side by side").isBetween(at - 1, at + 2);
                assertThat(place.get(3).asInt())
                        .as("of one height")
                        .isEqualTo(row.get(0).get(3).asInt());
                at = place.get(2).asInt() + gap;
            }
            assertThat(at - gap).as("up to the edge").isBetween(right - 2, right + 2);
        });
    }

    @Test
    void on_a_phone_nothing_is_wider_than_the_screen() {
        width(PHONE, 844);
        logIn();
        browser.findElements(By.tagName("summary")).forEach(WebElement::click);
        assertThat(measured("document.scrollingElement.scrollWidth").asInt()).isLessThanOrEqualTo(PHONE);
        JsonNode cut = measured(
                "[...document.querySelectorAll('main section, main .scroll, main table, main td, main th, main svg text')]"
                        + ".filter(e => e.getClientRects().length && !e.closest('thead'))"
                        + ".filter(e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0 || e.getBoundingClientRect().right > innerWidth || e.getBoundingClientRect().left < 0)"
                        + ".map(e => e.id || e.textContent)");
        assertThat(cut).isEmpty();
        assertThat(measured(
                                "[...document.querySelectorAll('#nodes td')].map(e => getComputedStyle(e, '::before').content).join(' ')")
                        .asText())
                .as("each value has its column's name")
                .contains("state", "connections");
    }

    @Test
    void every_text_has_enough_contrast_in_both_themes() {
        width(WIDE, 1000);
        logIn();
        for (String name : List.of("light", "dark")) {
            theme(name);
            JsonNode poor = measured("""
                    (() => {
                      const parts = c => c.match(/[\\d.]+/g).map(Number);
                      const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
                        .reduce((t, v, i) => t + v * [.2126, .7152, .0722][i], 0);
                      const ground = e => { for (; e; e = e.parentElement) { const c = parts(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
                      const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };
                      const poor = [];
                      for (const e of document.querySelectorAll('body *')) {
                        if (!e.getClientRects().length) continue;
                        const style = getComputedStyle(e), under = ground(e);
                        const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
                        const look = (color, least) => { const r = ratio(parts(color), under); if (r < least) poor.push(e.tagName + ' ' + e.textContent.slice(0, 30) + ' ' + color + ' ' + r.toFixed(2)); };
                        if (own) look(e instanceof SVGElement ? style.fill : style.color, 4.5);
                        if (e.tagName === 'rect') look(style.fill, 3);
                        if (e.tagName === 'path' && style.stroke !== 'none') look(style.stroke, 3);
                        if (e.tagName === 'INPUT') look(style.borderTopColor, 3);
                      }
                      return poor;
                    })()""");
            assertThat(poor).as(name).isEmpty();
            String paper =
                    measured("getComputedStyle(document.body).backgroundColor").asText();
            assertThat(paper).isEqualTo(name.equals("light") ? "rgb(244, 245, 247)" : "rgb(20, 23, 26)");
        }
    }

    @Test
    void the_keyboard_reaches_everything_in_the_order_of_the_page_and_the_focus_is_seen() {
        width(WIDE, 1000);
        browser.get(daemon.awaitReady().resolve("/console").toString());
        assertThat(browser.switchTo().activeElement().getDomAttribute("id")).isEqualTo("token");
        browser.findElement(By.id("token")).sendKeys("0".repeat(64), Keys.ENTER);
        wait.until(ExpectedConditions.textToBe(By.id("refusal"), "The daemon does not know this token."));
        assertThat(browser.switchTo().activeElement().getDomAttribute("id")).isEqualTo("token");

        browser.switchTo().activeElement().sendKeys(daemon.token("read"), Keys.ENTER);
        wait.until(ExpectedConditions.textToBe(By.id("state"), "live"));
        wait.until(
                driver -> driver.findElements(By.cssSelector("#htlcs button")).size() == 1);
        assertThat(browser.switchTo().activeElement().getDomAttribute("id")).isEqualTo("board");
        JsonNode wanted = measured("[...document.querySelectorAll('main button, main summary, main [tabindex=\"0\"]')]"
                + ".filter(e => e.getClientRects().length).map(e => e.textContent.slice(0, 40))");
        List<String> reached = new ArrayList<>();
        for (int i = 0; i < wanted.size(); i++) {
            browser.switchTo().activeElement().sendKeys(Keys.TAB);
            reached.add(
                    measured("document.activeElement.textContent.slice(0, 40)").asText());
            assertThat(measured(
                                    "getComputedStyle(document.activeElement).outlineStyle + parseFloat(getComputedStyle(document.activeElement).outlineWidth)")
                            .asText())
                    .isEqualTo("solid3");
        }
        List<String> order = new ArrayList<>();
        wanted.forEach(one -> order.add(one.asText()));
        assertThat(reached).isEqualTo(order).hasSizeGreaterThan(5);
        assertThat(measured(
                                "[...document.querySelectorAll('thead th')].every(th => th.scope === 'col')"
                                        + " && [...document.querySelectorAll('tbody th')].every(th => th.scope === 'row')"
                                        + " && [...document.querySelectorAll('table')].every(t => t.caption && t.caption.textContent)")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void logging_out_ends_the_streams_and_leaves_nothing_behind() {
        width(WIDE, 1000);
        logIn();
        wait.until(driver -> text("events").contains("Listening"));
        Await.until("the browsers of other tests are gone", () -> daemon.metric("walletd_http_event_streams") == 1);
        assertThat(browser.getPageSource()).doesNotContain(daemon.token("read"));
        assertThat(measured("[...performance.getEntriesByType('resource')].map(r => r.name)")
                        .toString())
                .as("no token in an address, nobody else asked")
                .doesNotContain(daemon.token("read"), "https:");
        assertThat(errors()).isEmpty();

        browser.findElement(By.id("logout")).click();
        wait.until(driver -> driver.findElement(By.id("token")).isDisplayed());
        assertThat(browser.switchTo().activeElement().getDomAttribute("id")).isEqualTo("token");
        assertThat(browser.findElement(By.id("board")).isDisplayed()).isFalse();
        assertThat(browser.getPageSource()).doesNotContain("treasury");
        Await.until("the stream ends", () -> daemon.metric("walletd_http_event_streams") == 0);
        assertThat(measured("localStorage.length + sessionStorage.length + document.cookie.length")
                        .asInt())
                .isZero();

        browser.findElement(By.id("token")).sendKeys(daemon.token("read"), Keys.ENTER);
        wait.until(ExpectedConditions.textToBe(By.id("state"), "live"));
        wait.until(driver -> text("labels").contains("treasury"));
        wait.until(driver ->
                driver.findElements(By.cssSelector("#hours-chart rect")).size() > 20);
        assertThat(errors()).isEmpty();
    }

    /** What the browser complains of: nothing may be blocked by the policy, and no script may fail. */
    private List<String> errors() {
        return browser.manage().logs().get(LogType.BROWSER).getAll().stream()
                .map(LogEntry::getMessage)
                .toList();
    }

    @Test
    void the_reasons_are_told_when_the_daemon_is_not_ready_and_meters_are_there_beside_a_listener_of_their_own() {
        try (DaemonProcess lonely = LauncherCall.daemon(folder.resolve("lonely"))
                .node(URI.create("http://127.0.0.1:9"))
                .and("--console", "--metrics-bind", "127.0.0.1:0")
                .start()) {
            width(WIDE, 1000);
            browser.get(lonely.awaitReady().resolve("/console").toString());
            browser.findElement(By.id("token")).sendKeys(lonely.token("read"), Keys.ENTER);
            wait.until(ExpectedConditions.textToBe(By.id("ready"), "Not ready"));
            assertThat(text("reasons")).contains("no node of the chain has answered");
            wait.until(driver -> text("nodes").contains("silent"));
            assertThat(text("lag-note")).isEqualTo("no block is followed yet");
            assertThat(text("oldest")).isEqualTo("none");
        }
    }

    /** {@code -Dscreenshots=folder} keeps the pictures that the manual shows. */
    @Test
    void pictures_are_taken_at_both_widths() throws IOException {
        haveOneUnconfirmed();
        for (int pixels : List.of(WIDE, PHONE)) {
            for (String name : List.of("light", "dark")) {
                width(pixels, 900);
                theme(name);
                logIn();
                wait.until(driver ->
                        driver.findElements(By.cssSelector("#heap-chart path")).size() == 2);
                wait.until(driver ->
                        driver.findElements(By.cssSelector("#hours-chart rect")).size() > 20);
                int height = measured("Math.ceil(document.documentElement.getBoundingClientRect().height)")
                        .asInt();
                width(pixels, height);
                wait.until(driver -> measured("innerHeight").asInt() == height);
                byte[] picture = Base64.getDecoder()
                        .decode((String) browser.executeCdpCommand("Page.captureScreenshot", Map.of("format", "png"))
                                .get("data"));
                assertThat(picture).hasSizeGreaterThan(10_000);
                String kept = System.getProperty("screenshots");
                if (kept != null) {
                    Files.write(
                            Path.of(kept, "console-" + pixels + (name.equals("dark") ? "-dark" : "") + ".png"),
                            picture);
                }
            }
        }
    }
}
