package org.chainwalletd.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.LauncherCall;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.ExpectedConditions;
import org.openqa.selenium.support.ui.WebDriverWait;

/**
 * The console in headless Chromium, over the packaged daemon on a live development chain. Needs Debian's {@code chromium} and {@code
 * chromium-driver}; has a command of its own (README).
 */
@Tag("long")
class ConsoleIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @Test
    void the_page_shows_a_live_chain_and_keeps_its_token_to_itself() throws Exception {
        try (DaemonProcess daemon = LauncherCall.daemon(folder.resolve("datadir"))
                .and("--devnet", "--devnet-bind", "127.0.0.1:0", "--console")
                .start()) {
            JsonNode payer = daemon.call("generate_standard_address", Map.of("label", "payer"));
            JsonNode shop = daemon.call("generate_standard_address", Map.of("label", "shop"));
            String from = payer.get("address").textValue();
            daemon.nodeCall("devnet_faucet", Map.of("address", from, "amount", 1_000_000_000));
            daemon.nodeCall("devnet_faucet", Map.of("address", from, "amount", 500_000_000));
            ChromeDriver browser = browser();
            try {
                WebDriverWait wait = new WebDriverWait(browser, PATIENCE);
                browser.get(daemon.awaitReady().resolve("/console").toString());

                browser.findElement(By.id("token")).sendKeys("0".repeat(64));
                browser.findElement(By.tagName("button")).click();
                wait.until(ExpectedConditions.textToBe(By.id("refusal"), "The daemon does not know this token."));

                browser.findElement(By.id("token")).sendKeys(daemon.token("read"));
                browser.findElement(By.tagName("button")).click();
                wait.until(ExpectedConditions.textToBe(By.id("state"), "live"));
                wait.until(driver ->
                        driver.findElement(By.id("balances")).getText().contains("payer"));
                wait.until(driver -> daemon.call("get_balance", Map.of("address", from))
                                .get("balance")
                                .longValue()
                        == 1_500_000_000L);
                daemon.call(
                        "transfer",
                        Map.of(
                                "from",
                                from,
                                "outputs",
                                List.of(Map.of("to", shop.get("address").textValue(), "amount", 5000))));
                daemon.call(
                        "htlc_lock",
                        Map.of(
                                "from",
                                from,
                                "receiver",
                                shop.get("pubkey").textValue(),
                                "hash_lock",
                                "ab".repeat(32),
                                "timeout",
                                5000,
                                "amount",
                                7000));
                wait.until(
                        driver -> driver.findElement(By.id("spends")).getText().contains("confirmed"));
                wait.until(
                        driver -> driver.findElement(By.id("htlcs")).getText().contains("locked"));
                wait.until(driver ->
                        driver.findElements(By.cssSelector("#tips path")).size() == 1);
                wait.until(
                        driver -> driver.findElement(By.id("nodes")).getText().contains("answers"));
                wait.until(
                        driver -> driver.findElement(By.id("events")).getText().contains("tip"));

                assertThat(browser.executeScript(
                                "return localStorage.length + sessionStorage.length + document.cookie.length"))
                        .isEqualTo(0L);
                assertThat(browser.getPageSource()).doesNotContain(daemon.token("read"));
                assertThat(browser.manage().logs().get(LogType.BROWSER).getAll())
                        .as("nothing was blocked by the policy and nothing failed but the login with a wrong token")
                        .allMatch(entry -> entry.getMessage().contains("401"));
                shoot(browser);
            } finally {
                browser.quit();
            }
        }
    }

    private static ChromeDriver browser() {
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, java.util.logging.Level.ALL);
        ChromeOptions options = new ChromeOptions()
                .setBinary("/usr/bin/chromium")
                .addArguments(
                        "--headless=new",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync");
        options.setCapability("goog:loggingPrefs", logs);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(new java.io.File("/usr/bin/chromedriver"))
                .usingAnyFreePort()
                .build();
        ChromeDriver driver = new ChromeDriver(service, options);
        driver.manage().window().setSize(new Dimension(1280, 1000));
        return driver;
    }

    /** {@code -Dscreenshot=file} keeps a picture, as the manual shows one. */
    private static void shoot(ChromeDriver browser) throws java.io.IOException {
        String file = System.getProperty("screenshot");
        if (file != null) {
            browser.manage().window().setSize(new Dimension(1640, 1060));
            Files.write(Path.of(file), browser.getScreenshotAs(OutputType.BYTES));
        }
    }
}
