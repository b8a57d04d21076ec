package dev.nodepath.page.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class PageDocumentTest {
    private final PageDocument document = PageDocument.load();

    @Test
    void isSmall() {
        assertThat(document.html().getBytes(StandardCharsets.UTF_8)).hasSizeLessThan(120_000);
    }

    @Test
    void namesNoOtherServer() {
        String without = document.html().replace("http://www.w3.org/2000/svg", "");

        assertThat(without).doesNotContain("http:", "https:", "src=", "@import", "url(");
    }

    @Test
    void allowsItsOwnStyleAndScriptAlone() throws Exception {
        assertThat(document.policy())
                .startsWith("default-src 'none'")
                .contains("script-src '" + hash("script") + "'", "style-src '" + hash("style") + "'")
                .contains("frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'")
                .doesNotContain("unsafe");
    }

    @Test
    void theDoorLoadsAndRunsNothing() {
        PageDocument door = PageDocument.door();

        assertThat(door.html()).doesNotContain("<script", "http:", "https:", "src=", "@import", "url(");
        assertThat(door.policy()).startsWith("default-src 'none'").doesNotContain("unsafe");
    }

    /** Names come from authors of objects; only text nodes show them. */
    @Test
    void writesNoMarkupByScript() {
        assertThat(document.html())
                .doesNotContain(
                        "innerHTML", "outerHTML =", "insertAdjacentHTML", "document.write", "eval(", "new Function");
    }

    /** Names of classes are on lines that say so; a few are put together. */
    @Test
    void eachClassOfTheStyleIsOneThatElementsGet() {
        String style = document.html().replaceFirst("(?s).*<style>(.*)</style>.*", "$1");
        Set<String> given = document.html()
                .replace(style, "")
                .lines()
                .filter(line -> line.contains("class"))
                .flatMap(line -> Pattern.compile("[\\w-]+").matcher(line).results())
                .map(MatchResult::group)
                .collect(Collectors.toSet());

        assertThat(Pattern.compile("\\.([a-z][\\w-]*)(?=[^{}]*\\{)")
                        .matcher(style)
                        .results()
                        .map(name -> name.group(1))
                        .filter(name -> !name.matches("layer-.*|w[1-4]|answered|taken")))
                .isNotEmpty()
                .isSubsetOf(given);
    }

    private String hash(String tag) throws Exception {
        Matcher found = Pattern.compile("<" + tag + ">(.*?)</" + tag + ">", Pattern.DOTALL)
                .matcher(document.html());
        assertThat(found.find()).isTrue();
        byte[] digest =
                MessageDigest.getInstance("SHA-256").digest(found.group(1).getBytes(StandardCharsets.UTF_8));
        return "sha256-" + Base64.getEncoder().encodeToString(digest);
    }
}
