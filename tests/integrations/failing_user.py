"""A customer whose server fails after the opening, named in tests as "failing_user:Failing"."""

from tau_emotion_gym.users import ScriptedUser, UserError


class Failing(ScriptedUser):
    """Says hello and no more."""

    async def areply(self, request):
        return self.reply(request)

    def reply(self, request):
        if request.turn:
            raise UserError("the server said 503")
        return super().reply(request)

    def reply_many(self, requests):
        fine = super().reply_many
        return [UserError("the server said 503") if one.turn else fine([one])[0] for one in requests]
