package dev.nodepath.endpoints.source;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class FieldsTest {
    private final Problems problems = new Problems();

    @Test
    void readsStringsListsAndMaps() throws Exception {
        Fields fields = fields("{'command': ['sh', '-c'], 'labels': {'b': '1', 'a': ''}, 'name': 'web', 'zero': 0}");

        assertThat(fields.names()).containsExactly("command", "labels", "name", "zero");
        assertThat(fields.texts("command")).containsExactly("sh", "-c");
        assertThat(fields.textMap("labels")).hasToString("{b=1, a=}");
        assertThat(fields.requiredText("name")).isEqualTo("web");
        assertThat(fields.json("zero").isNumber()).isTrue();
        assertThat(problems.count()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"{}", "{'a': null}", "{'a': {}}", "{'a': {'b': null}}"})
    void anAbsentValueOrANullIsTheDefault(String json) throws Exception {
        Fields absent = fields(json).object("a").object("b");

        assertThat(absent.names()).isEmpty();
        assertThat(absent.has("c")).isFalse();
        assertThat(absent.json("c").isMissingNode()).isTrue();
        assertThat(absent.text("c")).isEmpty();
        assertThat(absent.texts("c")).isEmpty();
        assertThat(absent.textMap("c")).isEmpty();
        assertThat(absent.objects("c")).isEmpty();
        assertThat(absent.flag("c", true)).isTrue();
        assertThat(absent.number("c", 1, 2, 7)).isEqualTo(7);
        assertThat(absent.oneOf("c", List.of("x", "y"))).isEqualTo("x");
        assertThat(absent.ips("c")).isEmpty();
        assertThat(problems.count()).isZero();
    }

    static Stream<Arguments> requiredFields() {
        return Stream.of(
                of(fields -> fields.requiredText("x"), "a string"),
                of(fields -> fields.ip("x"), "an IPv4 or IPv6 address"),
                of(fields -> fields.port("x"), "1 to 65535"));
    }

    @ParameterizedTest
    @MethodSource("requiredFields")
    void anAbsentValueThatIsRequiredIsAProblem(Consumer<Fields> read, String expected) throws Exception {
        read.accept(fields("{'a': {}}").object("a"));

        assertThat(problems.first()).isEqualTo("a.x: missing (expected: " + expected + ")");
        assertThat(problems.count()).isEqualTo(1);
    }

    static Stream<Arguments> wrongValues() {
        return Stream.of(
                Arguments.of("7", read(fields -> fields.text("a")), "7 (expected: an object)"),
                Arguments.of(
                        "{'a': {}}", read(fields -> fields.requiredText("a")), "a: an object (expected: a string)"),
                Arguments.of("{'a': ''}", read(fields -> fields.requiredText("a")), "a: \"\" (expected: a string)"),
                Arguments.of("{'a': ['x', 1]}", read(fields -> fields.texts("a")), "a[1]: 1 (expected: a string)"),
                Arguments.of("{'a': 'x'}", read(fields -> fields.textMap("a")), "a: \"x\" (expected: an object)"),
                Arguments.of(
                        "{'a': {'b.c/d': 1}}", read(fields -> fields.textMap("a")), "a[b.c/d]: 1 (expected: a string)"),
                Arguments.of(
                        "{'a': 99999999999}",
                        read(fields -> fields.number("a", 0, 9, 0)),
                        "a: 99999999999 (expected: 0 to 9)"),
                Arguments.of("{'a': 1.5}", read(fields -> fields.number("a", 0, 9, 0)), "a: 1.5 (expected: 0 to 9)"),
                Arguments.of("{'a': 1}", read(fields -> fields.refuse("a\n", "unknown")), "a?: unknown"),
                Arguments.of(
                        "{'a': 'x\ty" + "z".repeat(1000) + "'}",
                        read(fields -> fields.number("a", 1, 2, 0)),
                        "a: \"x?y" + "z".repeat(61) + "...\" (expected: 1 to 2)"));
    }

    @ParameterizedTest
    @MethodSource("wrongValues")
    void namesFieldValueAndWhatWasExpectedOnOneShortLine(String json, Consumer<Fields> read, String problem)
            throws Exception {
        read.accept(fields(json.replace("\t", "\\t")));

        assertThat(problems.first()).isEqualTo(problem);
        assertThat(problems.count()).isEqualTo(1);
    }

    private static Arguments of(Consumer<Fields> read, String expected) {
        return Arguments.of(read, expected);
    }

    private static Consumer<Fields> read(Consumer<Fields> read) {
        return read;
    }

    private Fields fields(String json) throws JsonProcessingException {
        return Fields.of(new ObjectMapper().readTree(json.replace('\'', '"')), problems);
    }
}
