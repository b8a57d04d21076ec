package dev.nodepath.apiserver.request;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.nodepath.apiserver.store.ObjectSize;

/** JSON of requests and answers. */
public final class Json {
    /** The most tokens of one text: names, values, and the begins and ends of objects and lists. */
    static final int TOKENS_MAX = 1_000_000;

    /** The most digits of one number. */
    static final int DIGITS_MAX = 1000;

    /**
     * Reads at most {@value #TOKENS_MAX} tokens; a second value is an error. Of a duplicate key, the last one counts.
     */
    public static final ObjectMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(ObjectSize.LEVELS_MAX)
                            .maxTokenCount(TOKENS_MAX)
                            .maxNumberLength(DIGITS_MAX)
                            .build())
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private Json() {}

    /** A tree as octets. */
    public static byte[] bytes(JsonNode tree) {
        try {
            return MAPPER.writeValueAsBytes(tree);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree that is no JSON", e);
        }
    }
}
