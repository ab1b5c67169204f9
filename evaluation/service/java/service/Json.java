package service;

import java.util.List;

/** Text of the goods. Their names have no character that JSON escapes. */
final class Json {

    private Json() {}

    static String of(List<Item> goods) {
        StringBuilder text = new StringBuilder(32 * goods.size() + 2).append('[');
        for (Item item : goods) {
            if (text.length() > 1) {
                text.append(',');
            }
            text.append("{\"name\":\"").append(item.name()).append("\",\"cents\":").append(item.cents()).append('}');
        }
        return text.append(']').toString();
    }
}
